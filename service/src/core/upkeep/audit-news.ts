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
 * Audits what is new in one account: the entries since its mark, the tasks and lists that they are of, and the figures
 * that result. So it costs as much as happened since, and not as much as there is.
 *
 *     mark ──▶ some slices of entries, in one snapshot ──▶ mark moved on ──▶ … ──▶ last entry: figures, lists ──▶ balanced
 *                             └── something does not agree: the mark stays, the account is frozen (see watch-books.ts)
 */
type AuditNewsParts = {
  store: Pick<Store, 'snapshot' | 'write'>;
  wallClock: WallClock;
  /** Audits of what features keep of an account. */
  audits: readonly AuditAccount[];
  /** After every snapshot: how many entries were audited in it. */
  onProgress: (entries: number) => void;
  /** Breaks it off; what was audited so far is not read again. */
  stop: AbortSignal;
  monotonic: { now(): number };
};

/** A long ledger is read in several snapshots, so that none keeps the database from tidying up behind it. */
const slicesInSnapshot = 20;

/** A slice of entries is to be read in so long: on SQLite it is the thread that serves requests that reads. */
const longSliceMs = 5;
/** What it begins with, while nobody knows how fast the disk is and the code is new to the machine; and the fewest. */
const fewEntries = 50;

/** What was committed while the audit before began may be older than it. */
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
  /** Notes how long it took. */
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
 * Others come first between two statements, and after a long one for as much longer: SQLite answers at once, on the
 * thread that serves requests, and an audit after an upgrade may have years to read.
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
