import { parentPort, workerData } from 'node:worker_threads';
import type { Connection } from '../connection.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { openSqliteConnection, type SqliteOptions } from './sqlite-connection.ts';
import type { Answer, Order, ThreadReply } from './threaded-connection.ts';

/**
 * The thread behind a threaded connection: opens the file, says whether it could, and then runs what it is sent, in
 * order, one batch of answers for each batch of orders. An empty batch says goodbye.
 */
const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');

/** Texts come once and are named by their number from then on. */
const texts: string[] = [];

async function run(connection: Connection, [number, values, text]: Order): Promise<Answer> {
  if (text !== undefined) texts[number] = text;
  try {
    return await connection.execute(texts[number] ?? '', values);
  } catch (error) {
    return describe(error);
  }
}

function describe(error: unknown): Answer {
  if (error instanceof StoreUnavailableError) return { fault: error.fault, why: String(error.cause) };
  return { mistake: String(error) };
}

function send(reply: ThreadReply): void {
  port?.postMessage(JSON.stringify(reply));
}

function open(): Connection | undefined {
  try {
    const connection = openSqliteConnection(workerData as SqliteOptions);
    send({ answers: [], inTransaction: false });
    return connection;
  } catch (error) {
    send({ answers: [describe(error)], inTransaction: false });
    port?.close();
    return undefined;
  }
}

const connection = open();
// Batches never overlap: each is run to its end before the next message is looked at, for SQLite answers at once.
port.on('message', (text: string) => {
  const orders = JSON.parse(text) as Order[];
  if (connection === undefined) return;
  if (orders.length === 0) {
    void connection.close();
    port.close();
    return;
  }
  void Promise.all(orders.map((order) => run(connection, order))).then((answers) => {
    send({ answers, inTransaction: connection.inTransaction() });
  });
});
