import { parentPort, workerData } from 'node:worker_threads';
import type { Connection } from '../connection.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { openSqliteConnection, type SqliteOptions } from './sqlite-connection.ts';
import { beginning, type Answer, type Order, type ThreadReply } from './threaded-connection.ts';

/**
 * The thread behind a threaded connection: opens the file, says whether it could, and then runs what it is sent, in
 * order, one batch of answers for each batch of orders. An empty batch says goodbye.
 */
const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');

/** Texts come once and are named by their number from then on. */
const texts: string[] = [];

/** How the transaction began that statements are sent for, until its end. */
let begun: Promise<Answer> | undefined;

/** The beginning is not waited for. Where it failed, or the store has ended the transaction, nothing runs without it. */
async function run(connection: Connection, [number, values, text]: Order): Promise<Answer> {
  if (text !== undefined) texts[number] = text;
  const sql = texts[number] ?? '';
  if (sql === beginning) return (begun = execute(connection, sql, values));
  if (begun !== undefined && !connection.inTransaction()) {
    const answer = await begun;
    return 'rows' in answer ? { fault: 'failing', why: 'the transaction was ended' } : answer;
  }
  if (sql === 'commit' || sql === 'rollback') begun = undefined;
  return execute(connection, sql, values);
}

async function execute(connection: Connection, sql: string, values: Order[1]): Promise<Answer> {
  try {
    return await connection.execute(sql, values);
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
