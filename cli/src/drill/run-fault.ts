/**
 * One fault from beginning to end:
 *
 *     callers come ──▶ served ──▶ the fault begins ──▶ it ends ──▶ served again ──▶ every caller has an answer ──▶ books
 */
import { startCallers, type Callers, type Told } from './callers.ts';
import type { FaultOf } from './faults.ts';
import type { Installation } from './installation.ts';
import { decidedUntil, secondsOf, servedAgainMs, type Second } from './recovery.ts';
import { watchSigns, type SignKind, type SignWatch } from './signs.ts';

export type FaultReport = {
  fault: string;
  title: string;
  seconds: number;
  /** Per place where it must be told: when, and in which words; null if it was not. */
  signs: Partial<Record<SignKind, { afterMs: number; said: string } | null>>;
  /** Whether singles were served before the fault; if not, the machine is too busy for any time to mean something. */
  servedBefore: boolean;
  /** How long singles were not served, from the end of the fault, or from the kill; null: longer than was waited. */
  servedAgainMs: number | null;
  /** From the beginning of the fault. */
  bySecond: Second[];
  told: Told;
  books: Books;
};

type Books = {
  exact: boolean;
  /** Found by `mailproof audit`. */
  violations: readonly object[];
  /** Credits that callers were told they paid, and that the ledger says. */
  told: number;
  spent: number;
  reserved: number;
};

type FaultParts<Kind extends Installation = Installation> = {
  installation: Kind;
  quick: boolean;
  firstQuestion: number;
  signal: AbortSignal;
  /** Called a few times a second with what is under way. */
  onProgress: (what: string) => void;
};

/** Single verifications a second. */
const perSecond = 10;
const addressesPerTask = 40;

/** Answers must have come back for so long. */
const calmMs = { full: 8_000, quick: 3_000 };
const longestWaitMs = { full: 60_000, quick: 30_000 };
const tickMs = 250;

type Ran = { report: FaultReport; nextQuestion: number };

export async function runFault<Kind extends Installation>(
  fault: FaultOf<Kind>,
  parts: FaultParts<Kind>,
): Promise<Ran> {
  const { installation, firstQuestion, signal } = parts;
  const before = await installation.readBooks();
  const { url, apiKey } = installation;
  const callers = startCallers({ url, apiKey, perSecond, firstQuestion });
  try {
    const startedAt = performance.now();
    const calm = await untilServed('waiting for answers', startedAt, { ...parts, callers, calmFor: 1_000 });
    const { signs, begunAt, seconds, countedFrom } = await bringAbout(fault, { ...parts, callers });
    const served = await untilServed(`${fault.title}: over`, countedFrom, { ...parts, callers });
    parts.onProgress(`${fault.title}: every caller gets an answer`);
    const told = await callers.settle(signal);
    signal.throwIfAborted();
    signs.watch.stop();
    const books = await readBooks(told, before.balance.spent, installation);
    const report: FaultReport = {
      fault: fault.name,
      title: fault.title,
      seconds,
      signs: signsOf(signs, begunAt),
      servedBefore: calm !== undefined,
      servedAgainMs: served ?? null,
      bySecond: secondsOf({ attempts: callers.attempts, from: begunAt }),
      told,
      books,
    };
    return { report, nextQuestion: callers.nextQuestion() };
  } finally {
    callers.stop();
  }
}

type Underway<Kind extends Installation = Installation> = FaultParts<Kind> & { callers: Callers };
type Watched = { watch: SignWatch; kinds: SignKind[] };
type BroughtAbout = { signs: Watched; begunAt: number; seconds: number; countedFrom: number };

async function bringAbout<Kind extends Installation>(
  fault: FaultOf<Kind>,
  parts: Underway<Kind>,
): Promise<BroughtAbout> {
  const { installation, callers, quick, signal, onProgress } = parts;
  const expected = fault.signs(installation);
  const kinds = (['readyz', 'metric', 'log'] as const).filter((kind) => expected[kind] !== undefined);
  // A task that is under way when the fault comes, and one that is created in the middle of it.
  callers.startTask(addressesPerTask);
  const begunAt = performance.now();
  const watch = watchSigns(expected, installation);
  const end = await fault.begin(installation);
  const seconds = quick ? fault.seconds.quick : fault.seconds.full;
  let endedAt: number;
  try {
    callers.startTask(addressesPerTask);
    await until(
      () => {
        const passed = (performance.now() - begunAt) / 1_000;
        onProgress(`${fault.title}: ${Math.floor(passed)} of ${seconds} s`);
        return passed >= seconds;
      },
      { signal, withinMs: seconds * 1_000 + 1_000 },
    );
  } finally {
    endedAt = performance.now();
    // After Ctrl-C the whole installation is taken down, so nothing is mended.
    if (!signal.aborted) await end();
  }
  const countedFrom = fault.countsFrom === 'begin' ? begunAt : endedAt;
  return { signs: { watch, kinds }, begunAt, seconds, countedFrom };
}

/** How long after `from` singles were served again; nothing if they are not while we wait. */
async function untilServed(
  what: string,
  from: number,
  { callers, quick, signal, onProgress, calmFor }: Underway & { calmFor?: number },
): Promise<number | undefined> {
  const calm = calmFor ?? (quick ? calmMs.quick : calmMs.full);
  let served: number | undefined;
  const startedAt = performance.now();
  await until(
    () => {
      const now = performance.now();
      const decided = decidedUntil(now);
      served = servedAgainMs({ attempts: callers.attempts, from, until: decided });
      onProgress(`${what}; ${Math.round((now - startedAt) / 1_000)} s`);
      return served !== undefined && decided >= Math.max(startedAt, from + served) + calm;
    },
    { signal, withinMs: quick ? longestWaitMs.quick : longestWaitMs.full },
  );
  return served;
}

async function until(
  isDone: () => boolean,
  { signal, withinMs }: { signal: AbortSignal; withinMs: number },
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!isDone() && performance.now() < giveUpAt) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
}

function signsOf({ watch, kinds }: Watched, begunAt: number): FaultReport['signs'] {
  return Object.fromEntries(
    kinds.map((kind) => {
      const seen = watch.seen(kind);
      return [kind, seen === undefined ? null : { afterMs: seen.at - begunAt, said: seen.said }];
    }),
  );
}

/** Waits a moment for reservations that are being given back. */
async function readBooks(told: Told, spentBefore: number, { readBooks: read }: Installation): Promise<Books> {
  for (let triesLeft = 40; ; triesLeft -= 1) {
    const { violations, balance } = await read();
    const spent = balance.spent - spentBefore;
    const exact = violations.length === 0 && balance.reserved === 0 && spent === told.creditsUsed;
    if (exact || triesLeft === 0)
      return { exact, violations, told: told.creditsUsed, spent, reserved: balance.reserved };
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
}
