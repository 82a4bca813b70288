/**
 * Limits of a process and its database, as data: docs/limits.md is made from this table. Times are milliseconds
 * unless the name says otherwise.
 */
export const postgresLimitTable = {
  connectMs: { value: 1_000, meaning: 'opening a connection, including password and settings' },
  statementMs: { value: 5_000, meaning: 'one statement, on the server' },
  lockMs: { value: 2_000, meaning: 'wait for a lock inside a statement, on the server' },
  requestMs: {
    value: 600,
    meaning: 'a step of a request: a read, or its transaction up to the answer to the commit',
  },
  requestKeyMs: { value: 350, meaning: 'before that, finding the owner of its key or session' },
  requestEndMs: {
    value: 3_000,
    meaning:
      'the transaction that ends a request whose mail host has answered: refusing it would waste that work',
  },
  requestLockMs: { value: 300, meaning: 'of these, the wait for a lock inside a statement, on the server' },
  commitMs: {
    value: 100,
    meaning:
      'part of it reserved for the commit, which is not sent later, and as much for the statements before',
  },
  requestGroupMs: {
    value: 100,
    meaning: 'a transaction of requests; after a longer one the next takes fewer operations',
  },
  fewInGroup: {
    value: 16,
    meaning:
      'operations of requests that count as few in one transaction: on a slow machine one takes as long',
  },
  fewInGroupMs: {
    value: 300,
    meaning: 'a transaction of that few; after a longer one the next takes fewer operations',
  },
  briefStatementMs: {
    value: 15,
    meaning:
      'a statement of an erasing slice, on the server, and the time within which a slice sends its last statement. A longer slice is undone and tried again with fewer rows',
  },
  idleInTransactionMs: { value: 10_000, meaning: 'an idle transaction, on the server' },
  silenceMs: { value: 800, meaning: 'silence of a database before it counts as gone' },
  retryMs: { value: 500, meaning: 'time between two attempts to reach a database that is gone' },
  writeConnections: { value: 8, meaning: 'concurrent write transactions, each on its own connection' },
  readConnections: {
    value: 2,
    meaning:
      'connections shared by the reads of requests, many statements at a time on each; and as many for all other reads',
  },
  readsUnderWay: { value: 5_000, meaning: 'unanswered reads, on all of them together' },
  heldUpMs: { value: 100, meaning: 'a read without an answer, before others use another connection or wait' },
  spareConnections: { value: 2, meaning: 'connections for reads of the whole database and for checks of it' },
  connectionWaitMs: { value: 1_000, meaning: 'wait for one of these connections' },
  operationsInGroup: { value: 128, meaning: 'operations in one transaction' },
  operationsWaiting: { value: 20_000, meaning: 'operations waiting for a transaction' },
  groupTries: {
    value: 4,
    meaning: 'attempts of a transaction that lost against another (serialization, deadlock)',
  },
  clockEveryMs: { value: 5_000, meaning: "time between two readings of the database's clock" },
  heartbeatMs: { value: 2_000, meaning: 'time between two heartbeats of a process' },
  missingMs: { value: 6_000, meaning: 'without a heartbeat, and its connection gone: dead' },
  silentProcessMs: { value: 30_000, meaning: 'without a heartbeat: dead, with or without a connection' },
  judgeAfterMs: {
    value: 6_000,
    meaning: 'time since reconnecting before a process declares others dead: they may be reconnecting too',
  },
  noticeGapMs: { value: 20, meaning: 'time between two notices on one channel' },
} as const;

export type PostgresLimits = { [Name in keyof typeof postgresLimitTable]: number };

export function postgresLimits(changed: Partial<PostgresLimits> = {}): PostgresLimits {
  const values = Object.entries(postgresLimitTable).map(([name, { value }]) => [name, value]);
  // The cast holds: the object has every name of the table with its value, and nothing else.
  return { ...(Object.fromEntries(values) as PostgresLimits), ...changed };
}
