import { lateEvidence, type Clock, type MailboxEvidence, type Patience, type Probe } from '@mailproof/engine';
import type { Store } from '../../core/store/store.ts';
import { timeOrderedId } from '../../core/store/time-ordered-id.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { egressChannel } from './egress-addresses.ts';
import { evidenceChannel, probesChannel, type WrittenEvidence } from './probe-exchange.ts';
import { eraseUnanswered } from './prober-faults.ts';
import { writeQuestion } from './probe-question.ts';
import { eraseProbes, insertProbes, probeStatements } from './probe-rows.ts';

/**
 * Hands probes to whoever owns an egress address, and waits for what comes of them. The asker alone decides what its
 * evidence means and settles the credit; a probe has neither.
 */
export type ProbeQueue = {
  /**
   * Late evidence reads as a silent host. `ask_another` where the egress address has lost its owner before the probe
   * was taken: somebody else may be asked. An abort rejects with the signal's reason.
   */
  ask(probe: Probe & { egress: string }, patience: Patience): Promise<ProbeAnswer>;
  /** The egress addresses at which probes of this process are. */
  busy(): Set<string>;
  /**
   * Takes back what the owner of this egress address does not ask now; its askers get `ask_another`. `owner` is a process of
   * the installation, or empty.
   */
  withdraw(egress: string, owner: string): Promise<void>;
  close(): Promise<void>;
};

/** `unreadable`: whoever was asked failed, or answered with what makes no sense. */
export type ProbeAnswer = MailboxEvidence | 'ask_another' | 'unreadable';

type ProbeQueueParts = {
  store: Pick<Store, 'read' | 'write' | 'notify' | 'listen'>;
  clock: Clock;
  wallClock: WallClock;
  processId: string;
  /** What evidence means is for the rules of this process to say. */
  reread: (evidence: MailboxEvidence, probe: Probe & { egress: string }) => MailboxEvidence;
  onProblem: (message: string, error: unknown) => void;
};

type Waiting = {
  probe: Probe & { egress: string };
  isWritten: boolean;
  /** When its caller withdrew it, and why. */
  withdrawal: { at: number; reason: unknown } | undefined;
  /** Its row is erased already, or being erased. */
  settle(answer: ProbeAnswer): void;
  /** The same, for a probe that was withdrawn and not asked. */
  giveBack(reason: unknown): void;
  /** Ends the waiting; the row goes as soon as it is there. */
  leave(): void;
  fail(error: unknown): void;
};

const lookEveryMs = 1_000;
const takenAtOnce = 500;
const eraseAgainMs = 1_000;

export function createProbeQueue(parts: ProbeQueueParts): ProbeQueue {
  const { store, clock, wallClock, processId } = parts;
  const waiting = new Map<string, Waiting>();
  const eraser = createEraser(parts);
  const withdrawals = followWithdrawals(waiting, parts);
  const looking = lookRepeatedly(takeAnswers, { ...parts, isNeeded: () => waiting.size > 0 });

  async function takeAnswers(): Promise<void> {
    await withdrawals.takeBackFreed();
    for (let full = true; full;) {
      const rows = await store.read.all(probeStatements.findAnswered, {
        asker: processId,
        limit: takenAtOnce,
      });
      for (const { id, evidence } of rows) take(id, evidence);
      if (rows.length > 0) await eraser.erase(rows.map(({ id }) => id));
      full = rows.length === takenAtOnce;
    }
  }

  function take(id: string, evidence: string | null): void {
    const one = waiting.get(id);
    if (one === undefined) return;
    const { withdrawal } = one;
    const { answer, begunAt } = evidence === null ? unreadable : read(evidence, one.probe, parts);
    if (withdrawal !== undefined && begunAt > withdrawal.at) one.giveBack(withdrawal.reason);
    else one.settle(answer);
  }

  return {
    ask(probe, patience) {
      // The reason of an abort is whatever its owner gave; callers expect exactly that.
      for (const signal of [patience.signal, patience.withdrawn])
        if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
      const id = timeOrderedId(wallClock.now());
      const answer = awaitAnswer(patience, clock);
      const one: Waiting = { probe, isWritten: false, withdrawal: undefined, ...answer };
      waiting.set(id, one);
      const posted = post({ id, probe, withinMs: patience.deadline - clock.now() }, parts);
      posted.then(() => (one.isWritten = true)).then(looking.start, answer.fail);
      const onWithdrawn = () =>
        void posted.then(() => withdrawals.withdraw(id, patience)).catch(() => undefined);
      patience.withdrawn?.addEventListener('abort', onWithdrawn);
      return answer.promise.finally(() => {
        patience.withdrawn?.removeEventListener('abort', onWithdrawn);
        waiting.delete(id);
        // Where it was answered, it is being erased already.
        if (answer.isHeard()) return;
        const erase = answer.isLate() ? () => eraseLate(id, { ...parts, eraser }) : () => eraser.erase([id]);
        void posted.then(erase).catch(() => undefined);
      });
    },
    busy: () => new Set([...waiting.values()].map(({ probe }) => probe.egress)),
    async withdraw(egress, owner) {
      // The statement does not find what is only being written now.
      for (const one of waiting.values()) if (one.probe.egress === egress && !one.isWritten) one.leave();
      const request = { asker: processId, egress, now: wallClock.now(), owner };
      const rows = await store.write((tx) => tx.all(probeStatements.withdrawRows, request));
      for (const { id } of rows) waiting.get(id)?.settle('ask_another');
    },
    async close() {
      looking.stop();
      const erased = eraser.erase([...waiting.keys()]);
      for (const one of waiting.values()) one.fail(new Error('the queue of probes is closed'));
      await erased;
      eraser.stop();
    },
  };
}

/** Takes back probes that their callers withdrew. */
function followWithdrawals(
  waiting: ReadonlyMap<string, Waiting>,
  { store, wallClock, processId }: ProbeQueueParts,
) {
  /**
   * Takes back a probe that its caller withdrew, unless a prober has it. That one hears of it with its next report and
   * gives the probe back, unless it is in a conversation for it: then its answer is waited for.
   */
  async function withdraw(id: string, { withdrawn }: Patience): Promise<void> {
    const one = waiting.get(id);
    if (one === undefined) return;
    one.withdrawal = { at: wallClock.now(), reason: withdrawn?.reason };
    const rows = await store.write(async (tx) => {
      const free = await tx.all(probeStatements.withdrawRow, { id, now: wallClock.now() });
      if (free.length === 0) await tx.change(probeStatements.markWithdrawn, { id });
      return free;
    });
    rows.forEach(giveBack);
  }

  /** Takes back what was withdrawn and has lost its holder meanwhile. */
  async function takeBackFreed(): Promise<void> {
    if (!waiting.values().some(({ withdrawal }) => withdrawal !== undefined)) return;
    const request = { asker: processId, now: wallClock.now() };
    (await store.write((tx) => tx.all(probeStatements.withdrawFreed, request))).forEach(giveBack);
  }

  function giveBack({ id }: { id: string }): void {
    const one = waiting.get(id);
    one?.giveBack(one.withdrawal?.reason);
  }

  return { withdraw, takeBackFreed };
}

type Posted = { id: string; probe: Probe & { egress: string }; withinMs: number };

async function post(
  { id, probe, withinMs }: Posted,
  { store, wallClock, processId }: ProbeQueueParts,
): Promise<void> {
  const now = wallClock.now();
  const { urgency, account: tag } = probe.asker;
  const row = {
    id,
    asker: processId,
    egress: probe.egress,
    urgency: urgency === 'single' ? 0 : 1,
    tag,
    question: JSON.stringify(writeQuestion(probe)),
    asked_at: now,
    deadline_at: now + Math.ceil(withinMs),
  };
  await store.write((tx) => tx.batch(insertProbes, '', row));
  store.notify(probesChannel);
}

/** Reads evidence, which was checked where it came in. If it makes no sense all the same, it is no answer. */
function read(evidence: string, probe: Waiting['probe'], { reread, onProblem }: ProbeQueueParts): ReadAnswer {
  try {
    const { begunAt = Infinity, ...said } = JSON.parse(evidence) as WrittenEvidence;
    return { answer: reread(said, probe), begunAt };
  } catch (error) {
    onProblem('evidence could not be read', error);
    return unreadable;
  }
}

/** `begunAt`: when a conversation took the probe; if nobody says so, none did. */
type ReadAnswer = { answer: ProbeAnswer; begunAt: number };

const unreadable: ReadAnswer = { answer: 'unreadable', begunAt: Infinity };

type LateParts = ProbeQueueParts & { eraser: ReturnType<typeof createEraser> };

/** Erases a probe at its deadline; a prober outside that still held it has a fault. */
async function eraseLate(id: string, { store, wallClock, onProblem, eraser }: LateParts): Promise<void> {
  try {
    const isAside = await store.write((tx) => eraseUnanswered(tx, id, wallClock.now()));
    if (isAside) store.notify(egressChannel);
  } catch (error) {
    onProblem('a probe that was not answered could not be erased yet', error);
    await eraser.erase([id]);
  }
}

/** Settled once: by an answer, by the deadline or by an abort. */
function awaitAnswer({ deadline, signal }: Patience, clock: Clock) {
  const { promise, resolve, reject } = Promise.withResolvers<ProbeAnswer>();
  let isHeard = false;
  let isLate = false;
  const cancelTimer = clock.after(deadline - clock.now(), () => {
    isLate = true;
    end(() => resolve(lateEvidence));
  });
  const onAbort = () => end(() => reject(signal.reason as Error));
  signal.addEventListener('abort', onAbort, { once: true });

  function end(settle: () => void): void {
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
    settle();
  }
  return {
    promise,
    isHeard: () => isHeard,
    isLate: () => isLate,
    settle: (answer: ProbeAnswer) => {
      isHeard = true;
      end(() => resolve(answer));
    },
    giveBack: (reason: unknown) => {
      isHeard = true;
      end(() => reject(reason));
    },
    leave: () => end(() => resolve('ask_another')),
    fail: (error: unknown) => end(() => reject(error)),
  };
}

type EraserParts = Pick<ProbeQueueParts, 'store' | 'clock' | 'onProblem'>;

/** Erases probes in the background, many in one transaction; what could not be erased is tried again, then left to the sweep. */
function createEraser({ store, clock, onProblem }: EraserParts) {
  let unerased: string[] = [];
  let running: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let isStopped = false;

  /** Whether it was erased; otherwise it is tried again later. */
  async function tryToErase(ids: string[]): Promise<boolean> {
    try {
      await store.write((tx) => eraseProbes(tx, ids));
      return true;
    } catch (error) {
      if (isStopped) return false;
      onProblem('probes that were answered could not be erased yet', error);
      unerased = [...ids, ...unerased].slice(0, mostUnerased);
      cancel ??= clock.after(eraseAgainMs, () => {
        cancel = undefined;
        void start();
      });
      return false;
    }
  }

  /** It ends in the moment in which it finds nothing more: whoever comes a moment later starts it again. */
  async function run(): Promise<void> {
    let isGoingOn = true;
    while (isGoingOn && unerased.length > 0) isGoingOn = await tryToErase(unerased.splice(0, takenAtOnce));
    running = undefined;
  }

  function start(): Promise<void> {
    if (running === undefined && unerased.length > 0) running = run();
    return running ?? Promise.resolve();
  }

  return {
    erase: (ids: readonly string[]): Promise<void> => {
      unerased.push(...ids);
      return start();
    },
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}

const mostUnerased = 20_000;

type LookParts = Pick<ProbeQueueParts, 'store' | 'clock' | 'onProblem'> & { isNeeded: () => boolean };

/** Looks at each notice, one look at a time, and every second while anybody waits. */
function lookRepeatedly(look: () => Promise<void>, { store, clock, onProblem, isNeeded }: LookParts) {
  let state: 'idle' | 'looking' | 'look_again' = 'idle';
  let cancel: (() => void) | undefined;
  const stopListening = store.listen(evidenceChannel, lookNow);

  function lookNow(): void {
    if (!isNeeded()) return;
    if (state !== 'idle') {
      state = 'look_again';
      return;
    }
    state = 'looking';
    void look()
      .catch((error: unknown) => onProblem('evidence could not be looked for', error))
      .finally(() => {
        const again = state === 'look_again';
        state = 'idle';
        if (again) lookNow();
      });
  }

  function poll(): void {
    cancel = undefined;
    lookNow();
    start();
  }

  function start(): void {
    if (isNeeded()) cancel ??= clock.after(lookEveryMs, poll);
  }

  return {
    start,
    stop: () => {
      stopListening();
      cancel?.();
    },
  };
}
