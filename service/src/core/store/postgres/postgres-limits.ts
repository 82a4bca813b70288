/**
 * What a process allows itself and its database, as data: docs/limits.md is made from this table. Times are
 * milliseconds unless the name says otherwise.
 */
export const postgresLimitTable = {
  connectMs: { value: 1_000, meaning: 'opening a connection, password and settings included' },
  statementMs: { value: 5_000, meaning: 'one statement, on the server' },
  lockMs: { value: 2_000, meaning: 'waiting for a lock inside a statement, on the server' },
  requestMs: {
    value: 600,
    meaning: 'what a request asks for: reading it, or its transaction up to the answer to the commit',
  },
  requestKeyMs: { value: 350, meaning: 'before that, finding out whose key or session it comes with' },
  requestEndMs: {
    value: 3_000,
    meaning:
      'the transaction that ends a request whose mail host has answered: to refuse it would waste that work',
  },
  requestLockMs: { value: 300, meaning: 'of these, waiting for a lock inside a statement, on the server' },
  commitMs: {
    value: 100,
    meaning: 'kept of it for the commit, which is not sent later, and as much for the statements before it',
  },
  requestGroupMs: {
    value: 100,
    meaning: 'a transaction of requests before the next takes in fewer of them',
  },
  fewInGroup: {
    value: 16,
    meaning: 'operations of requests in one transaction that are few: on a slow machine one takes as long',
  },
  fewInGroupMs: { value: 300, meaning: 'a transaction of these before the next takes in fewer of them' },
  briefStatementMs: {
    value: 15,
    meaning:
      'a statement of a slice of erasing, on the server, and how long after its beginning a slice sends its last two. What takes longer is undone and tried again smaller',
  },
  idleInTransactionMs: { value: 10_000, meaning: 'a transaction in which nothing happens, on the server' },
  silenceMs: { value: 800, meaning: 'a database that answers nothing before it counts as gone' },
  retryMs: { value: 500, meaning: 'between two attempts to reach a database that is gone' },
  writeConnections: { value: 8, meaning: 'transactions that write at once, each on a connection of its own' },
  readConnections: {
    value: 2,
    meaning:
      'connections that the reads of requests share, many statements under way on each; and as many for all other reads',
  },
  readsUnderWay: { value: 5_000, meaning: 'reads not answered, on all of them together' },
  heldUpMs: { value: 100, meaning: 'a read without an answer before others are sent elsewhere, or wait' },
  spareConnections: { value: 2, meaning: 'connections for looks at the whole database and for checks of it' },
  connectionWaitMs: { value: 1_000, meaning: 'waiting for one of these connections' },
  operationsInGroup: { value: 128, meaning: 'operations in one transaction' },
  operationsWaiting: { value: 20_000, meaning: 'operations waiting for a transaction' },
  groupTries: {
    value: 4,
    meaning: 'runs of a transaction that lost against another (serialization, deadlock)',
  },
  clockEveryMs: { value: 5_000, meaning: "between two looks at the database's clock" },
  heartbeatMs: { value: 2_000, meaning: 'between two signs of life of a process' },
  missingMs: { value: 6_000, meaning: 'without a sign of life, and its connection gone: dead' },
  silentProcessMs: { value: 30_000, meaning: 'without a sign of life: dead, connection or not' },
  judgeAfterMs: {
    value: 6_000,
    meaning: 'connected again before others are judged: they may be on their way back',
  },
  noticeGapMs: { value: 20, meaning: 'between two notices on one channel' },
} as const;

export type PostgresLimits = { [Name in keyof typeof postgresLimitTable]: number };

export function postgresLimits(changed: Partial<PostgresLimits> = {}): PostgresLimits {
  const values = Object.entries(postgresLimitTable).map(([name, { value }]) => [name, value]);
  // Every name of the table with its value, and nothing else.
  return { ...(Object.fromEntries(values) as PostgresLimits), ...changed };
}
