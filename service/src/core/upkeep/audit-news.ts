import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { auditEntries, mostEntriesInSlice } from '../ledger/audit-entries.ts';
import { auditFigures, readOpenCredits } from '../ledger/audit-figures.ts';
import { moveAuditMark, readAuditMark, type AuditMark } from '../ledger/audit-mark.ts';
import type { AuditAccount, Violation } from '../ledger/violation.ts';
import { createGroupSize } from '../store/groups/group-size.ts';
import type { Reader } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';
import { auditTasks, auditTasksOfHolds } from '../verify/tasks/audit-tasks.ts';

/**
 * Audits the news of one account: the entries since its mark, their tasks and lists, and the resulting figures. So
 * the cost depends on the news, not on the size of the ledger.
 *
 *     mark ──▶ some slices of entries, in one snapshot ──▶ mark moved on ──▶ … ──▶ last entry: figures, lists ──▶ balanced
 *                             └── something does not agree: the mark stays, the account is frozen (see watch-books.ts)
 */
type AuditNewsParts = {
  store: Pick<Store, 'snapshot' | 'write'>;
  wallClock: WallClock;
  /** Audits of the rows that features keep of an account. */
  audits: readonly AuditAccount[];
  /** Called after every snapshot with the number of audited entries. */
  onProgress: (entries: number) => void;
  /** Stops the audit; audited entries are not read again. */
  stop: AbortSignal;
  monotonic: { now(): number };
};

/** A long ledger is read in several snapshots, so that none keeps the database from cleaning up old rows. */
const slicesInSnapshot = 20;

/** The longest time for a slice of entries: on SQLite the thread that serves requests reads it. */
const longSliceMs = 5;
/** The first and the smallest size, while the speed of the disk is unknown and the code is not yet compiled. */
const fewEntries = 50;

/** Rows that were committed while the previous audit began may have an earlier time. */
const overlapMs = 60_000;

type AccountNews = { tasks: number; violations: Violation[] };

export async function auditNews(accountId: string, parts: AuditNewsParts): Promise<AccountNews> {
  const { store, wallClock } = parts;
  const news: AccountNews = { tasks: 0, violations: [] };
  const size = createGroupSize({
    most: mostEntriesInSlice,
    longMs: longSliceMs,
    first: fewEntries,
    least: fewEntries,
    shrinksToFit: true,
  });
  const readersOf = (reader: Reader) => ({
    reader: paced(reader, parts),
    ofEntries: paced(reader, parts, size.note),
    entriesAtOnce: size.now,
    audits: parts.audits,
  });
  for (let reachedEnd = false; !reachedEnd;) {
    const now = wallClock.now();
    const part = await store.snapshot((reader) => auditPart(readersOf(reader), accountId, now));
    const { before, after } = part;
    news.tasks += part.tasks;
    news.violations.push(...part.violations);
    parts.onProgress(after.through.entries - before.through.entries);
    if (news.violations.length > 0) return news;
    await store.write((tx) => moveAuditMark(tx, accountId, { before, after }), accountId);
    ({ reachedEnd } = part);
  }
  return news;
}

type AuditedPart = AccountNews & { before: AuditMark; after: AuditMark; reachedEnd: boolean };

type PartReaders = {
  reader: Reader;
  /** Records how long it took. */
  ofEntries: Reader;
  entriesAtOnce: () => number;
  audits: readonly AuditAccount[];
};

async function auditPart(readers: PartReaders, accountId: string, now: number): Promise<AuditedPart> {
  const { reader, ofEntries, entriesAtOnce } = readers;
  const before = await readAuditMark(reader, accountId);
  const news: AccountNews = { tasks: 0, violations: [] };
  const own = (violation: Omit<Violation, 'accountId'>) => ({ ...violation, accountId });
  let { through } = before;
  let reachedEnd = false;
  for (let slices = 0; slices < slicesInSnapshot && !reachedEnd; slices += 1) {
    const slice = await auditEntries(ofEntries, accountId, { from: through, most: entriesAtOnce() });
    ({ through, reachedEnd } = slice);
    const { tasks, violations } = await auditTasksOfHolds(reader, accountId, slice.taskHolds);
    news.tasks += tasks;
    news.violations.push(...slice.violations.map(own), ...violations);
  }
  const { acceptedGap } = before;
  if (!reachedEnd) return { ...news, before, after: { ...before, through }, reachedEnd };
  const open = await readOpenCredits(reader, accountId);
  news.violations.push(...(await auditFigures(reader, accountId, { through, acceptedGap, open })).map(own));
  const since = before.auditedAt - overlapMs;
  const others = await auditTasks(reader, accountId, { withoutHoldSince: since });
  news.tasks += others.tasks;
  news.violations.push(...others.violations);
  for (const audit of readers.audits)
    news.violations.push(...(await audit(reader, accountId, { changedSince: since })));
  const balanced = { entries: through.entries, at: now };
  return { ...news, before, after: { through, acceptedGap, balanced, auditedAt: now }, reachedEnd };
}

/**
 * Lets other work run between two statements, and for longer after a long one. SQLite answers on the thread that
 * serves requests, and an audit after an upgrade may have years to read.
 */
function paced(
  reader: Reader,
  { stop, monotonic }: Pick<AuditNewsParts, 'stop' | 'monotonic'>,
  note: (tookMs: number) => void = () => undefined,
): Reader {
  async function restAfter<T>(work: () => Promise<T>): Promise<T> {
    stop.throwIfAborted();
    const startedAt = monotonic.now();
    const answer = await work();
    const tookMs = monotonic.now() - startedAt;
    note(tookMs);
    if (tookMs < 1) await setImmediate();
    else await sleep(2 * tookMs);
    return answer;
  }
  return {
    all: (statement, args) => restAfter(() => reader.all(statement, args)),
    first: (statement, args) => restAfter(() => reader.first(statement, args)),
  };
}
