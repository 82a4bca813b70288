import { createBatches } from './create-batches.ts';
import type { Compile } from './compile-statement.ts';
import type { Connection, QueryResult } from './connection.ts';
import type { Listener, Reader, Statement, Tx } from './statement.ts';

type Run = <Args, Row>(statement: Statement<Args, Row>, args: Args) => Promise<QueryResult>;

/** Statements over one connection, each a transaction of its own. */
export function createReader(connection: Pick<Connection, 'execute'>, compile: Compile): Reader {
  return readerOver((statement, args) => {
    const { sql, bind } = compile(statement);
    return connection.execute(sql, bind(args));
  });
}

/** The view of a transaction's operations, as seen by who runs them. */
type RunningTx = Tx & {
  /** The answers to what was sent without waiting for them. */
  sent: Promise<unknown>[];
  end: () => void;
};

type TxParts = {
  compile: Compile;
  listeners: readonly Listener[];
};

/** Runs statements over a connection with an open transaction; a statement after its end is refused. */
export function createTx(
  connection: Pick<Connection, 'execute'>,
  { compile, listeners }: TxParts,
): RunningTx {
  const sent: Promise<unknown>[] = [];
  let ended = false;
  const run: Run = (statement, args) => {
    if (ended) return Promise.reject(new Error('a statement came after the end of its transaction'));
    const { sql, bind } = compile(statement);
    return connection.execute(sql, bind(args));
  };
  const statements = {
    ...readerOver(run),
    change: <Args, Row>(statement: Statement<Args, Row>, args: Args) =>
      run(statement, args).then(({ changes }) => changes),
    send: <Args, Row>(statement: Statement<Args, Row>, args: Args) => {
      const answer = run(statement, args);
      // Whoever commits hears of a failure.
      answer.catch(() => undefined);
      sent.push(answer);
    },
  };
  const tx: Tx = {
    ...statements,
    batch: (work, key, item) => batch(work, key, item),
    tell: async (happened) => {
      for (const listener of listeners) await listener(tx, happened);
    },
  };
  const batch = createBatches(tx);
  return { ...tx, sent, end: () => void (ended = true) };
}

function readerOver(run: Run): Reader {
  return {
    // The schema's types describe what the database returns; the migrations and tests hold them together.
    all: <Args, Row>(statement: Statement<Args, Row>, args: Args) =>
      run(statement, args).then(({ rows }) => rows as Row[]),
    first: <Args, Row>(statement: Statement<Args, Row>, args: Args) =>
      run(statement, args).then(({ rows }) => rows[0] as Row | undefined),
  };
}
