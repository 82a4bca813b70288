import { lateEvidence, type Clock, type MailboxEvidence, type Patience, type Probe } from '@mailproof/engine';
import type { Store } from '../../core/store/store.ts';
import { timeOrderedId } from '../../core/store/time-ordered-id.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { egressChannel } from './egress-addresses.ts';
import { evidenceChannel, probesChannel, type WrittenEvidence } from './probe-exchange.ts';
import { eraseUnanswered } from './prober-faults.ts';
import { writeQuestion } from './probe-source.ts';
import { eraseProbes, insertProbes, probeStatements } from './probe-rows.ts';

/**
 * A queue that hands probes to the owner of an egress address and waits for their evidence. The asker alone judges the
 * evidence and settles the credit.
 */
export type ProbeQueue = {
  /**
   * Returns the evidence; late evidence counts as a silent host. `ask_another`: the egress address lost its owner
   * before the probe was leased. An abort rejects with the signal's reason.
   */
  ask(probe: Probe & { egress: string }, patience: Patience): Promise<ProbeAnswer>;
  /** Returns the egress addresses for which this process has probes open. */
  busy(): Set<string>;
  /**
   * Withdraws the probes that the owner of this egress address has not leased; their askers get `ask_another`. `owner`
   * is a process of the installation, or empty.
   */
  withdraw(egress: string, owner: string): Promise<void>;
  close(): Promise<void>;
};

/** `unreadable`: the prober failed, or its answer was invalid. */
export type ProbeAnswer = MailboxEvidence | 'ask_another' | 'unreadable';

type ProbeQueueParts = {
  store: Pick<Store, 'read' | 'write' | 'notify' | 'listen'>;
  clock: Clock;
  wallClock: WallClock;
  processId: string;
  /** Interprets evidence by the rules of this process. */
  reread: (evidence: MailboxEvidence, probe: Probe & { egress: string }) => MailboxEvidence;
  onProblem: (message: string, error: unknown) => void;
};

type Waiting = {
  probe: Probe & { egress: string };
  isWritten: boolean;
  /** Time and reason of the caller's withdrawal. */
  withdrawal: { at: number; reason: unknown } | undefined;
  /** Settles a probe whose row is erased already, or being erased. */
  settle(answer: ProbeAnswer): void;
  /** Settles a probe that was withdrawn and not asked. */
  giveBack(reason: unknown): void;
  /** Ends the wait; the row is erased as soon as it is written. */
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
      // An abort's reason may be any value; callers expect exactly that value.
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
        // An answered probe is being erased already.
        if (answer.isHeard()) return;
        const erase = answer.isLate() ? () => eraseLate(id, { ...parts, eraser }) : () => eraser.erase([id]);
        void posted.then(erase).catch(() => undefined);
      });
    },
    busy: () => new Set([...waiting.values()].map(({ probe }) => probe.egress)),
    async withdraw(egress, owner) {
      // The statement does not find probes that are being written now.
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
   * Takes back a probe that its caller withdrew, unless a prober holds it. That prober learns of it with its next
   * report and returns the probe. If its conversation has begun, the answer is awaited.
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

  /** Takes back withdrawn probes that have lost their holder meanwhile. */
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

/** Reads evidence, which was validated on arrival. If it is invalid all the same, it is no answer. */
function read(evidence: string, probe: Waiting['probe'], { reread, onProblem }: ProbeQueueParts): ReadAnswer {
  try {
    const { begunAt = Infinity, ...said } = JSON.parse(evidence) as WrittenEvidence;
    return { answer: reread(said, probe), begunAt };
  } catch (error) {
    onProblem('stored evidence is invalid; the probe counts as unanswered', error);
    return unreadable;
  }
}

/** `begunAt`: time at which a conversation took the probe, if the prober reports one. */
type ReadAnswer = { answer: ProbeAnswer; begunAt: number };

const unreadable: ReadAnswer = { answer: 'unreadable', begunAt: Infinity };

type LateParts = ProbeQueueParts & { eraser: ReturnType<typeof createEraser> };

/** Erases a probe at its deadline; an outside prober that still held it gets a fault. */
async function eraseLate(id: string, { store, wallClock, onProblem, eraser }: LateParts): Promise<void> {
  try {
    const isAside = await store.write((tx) => eraseUnanswered(tx, id, wallClock.now()));
    if (isAside) store.notify(egressChannel);
  } catch (error) {
    onProblem('cannot erase a probe without an answer yet', error);
    await eraser.erase([id]);
  }
}

/** Waits for one outcome: an answer, the deadline or an abort. */
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

/** Erases probes in the background, many per transaction. Failures are repeated, then left to the sweep. */
function createEraser({ store, clock, onProblem }: EraserParts) {
  let unerased: string[] = [];
  let running: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let isStopped = false;

  /** Returns whether the probes were erased; if not, schedules another attempt. */
  async function tryToErase(ids: string[]): Promise<boolean> {
    try {
      await store.write((tx) => eraseProbes(tx, ids));
      return true;
    } catch (error) {
      if (isStopped) return false;
      onProblem('cannot erase answered probes yet; trying again', error);
      unerased = [...ids, ...unerased].slice(0, mostUnerased);
      cancel ??= clock.after(eraseAgainMs, () => {
        cancel = undefined;
        void start();
      });
      return false;
    }
  }

  /** Runs until the queue is empty. `running` is cleared in the same tick, so a later probe starts it again. */
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

/** Polls at each notice, and every second while a caller waits; polls never overlap. */
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
      .catch((error: unknown) => onProblem('cannot look for evidence; trying again', error))
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
