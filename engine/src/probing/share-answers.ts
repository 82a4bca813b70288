import { hash, randomBytes } from 'node:crypto';
import { createBoundedCache, type BoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import { waitFor } from '../dns/wait-for.ts';
import type { MailboxEvidence } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { Patience } from '../patience.ts';
import { withItem } from '../with-item.ts';
import type { Prober, Probe } from './prober.ts';

/**
 * Asks for a mailbox once, however many want to know.
 *
 *     a caller ──▶ kept answer, younger than `reuseMs` ──▶ given again, with the time at which it was given first
 *        └──▶ somebody asks now? ──▶ waits for that ──▶ the same answer
 *                └──▶ asks, and keeps the answer
 *
 * What could make this lie, and what keeps it from that:
 *
 * - A mailbox is made or closed meanwhile: ten minutes at most, and a caller may insist (`isFresh`), which waits for
 *   nobody else's question either.
 * - The MX records change: they are part of the key.
 * - An `unknown` may be otherwise in a moment: only conclusive evidence is given again, and it is judged each time.
 * - A prober elsewhere turns out to lie: its answers are forgotten (`forgetFrom`).
 * - A caller withdraws: the question goes on for the others; if all have, it ends unless a mail host owes an answer.
 * - The first caller leaves, or has less time: the question goes on while anybody waits, and a caller whose time is not
 *   up asks for itself.
 * - A caller would wait behind another account's limits, or a single verification behind a list: until a mail host is
 *   named the mailbox, each asks on its own; then all wait for that one, and the others leave their queues unasked.
 *
 * Nothing here names a mailbox: keys are hashes with a secret of this process, and replies are kept without the address.
 */
export type AnswerSharing = Prober & {
  /** Forgets what a prober elsewhere has answered. */
  forgetFrom(prober: string): void;
  /** Probers elsewhere whose answers may be kept. */
  probers(): string[];
};

type SharingParts = {
  prober: Prober;
  clock: Clock;
  wallClock: { now(): number };
  /** How long an answer is given again; 0: never. */
  reuseMs: number;
  maxEntries: number;
  isConclusive(probe: Probe, evidence: MailboxEvidence): boolean;
  /** Whether a prober elsewhere may be believed now. */
  isBelieved(prober: string): boolean;
};

type Answered = MailboxEvidence & { kind: 'answered' };

/** An answer, and how long ago it was given. */
type Given = { evidence: Answered; ageMs: number };

/** One way in which a question is being asked. */
type Run = {
  readonly asker: Asker;
  readonly deadline: number;
  readonly stop: AbortController;
  /** Set if its first caller may withdraw. */
  readonly withdrawal: AbortController | undefined;
  readonly heard: PromiseWithResolvers<MailboxEvidence>;
  /** When it began, and then when a mail host was named the mailbox. */
  askedAt: number;
  isNamed: boolean;
  isOver: boolean;
  /** Callers that wait for it, and of these those that have not withdrawn. */
  waiting: number;
  wanted: number;
  /** The reason of the caller that withdrew last. */
  whyWithdrawn: unknown;
  /** The run that answers for this one. */
  into: Run | undefined;
};

/** The ways in which one question is being asked; hardly ever more than one. */
type Question = { runs: readonly Run[] };

export function createAnswerSharing(parts: SharingParts): AnswerSharing {
  return new SharedAnswers(parts);
}

class SharedAnswers implements AnswerSharing {
  private readonly parts: SharingParts;
  private readonly keyOf = createKeys();
  /** Each for `reuseMs` from when it was given. */
  private readonly kept: BoundedCache<Answered>;
  private readonly open = new Map<string, Question>();
  private readonly believed = new Set<string>();

  constructor(parts: SharingParts) {
    this.parts = parts;
    this.kept = createBoundedCache({ clock: parts.clock, maxEntries: parts.maxEntries });
  }

  async ask(probe: Probe, patience: Patience): Promise<MailboxEvidence> {
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    if (patience.withdrawn?.aborted === true) throw patience.withdrawn.reason;
    const key = this.keyOf(probe);
    if (probe.isFresh === true) this.kept.delete(key);
    const known = this.recall(key, probe);
    if (known !== undefined) return known;
    const { clock } = this.parts;
    for (let mayJoin = probe.isFresh !== true; ; mayJoin = false) {
      const before = probe.isFresh === true ? undefined : this.open.get(key);
      const question = before ?? { runs: [] };
      if (before === undefined) this.open.set(key, question);
      const joined = mayJoin ? joinable(question, probe.asker) : undefined;
      const run = joined ?? this.begin(key, question, { probe, patience });
      const left = join(run, patience);
      // A run of its own ends by itself at the caller's deadline.
      const wait = joined === undefined ? { signal: patience.signal, deadline: Infinity } : patience;
      const heard = await waitFor(run.heard.promise, { clock, patience: wait, late, left });
      if (joined === undefined && run.into === undefined) return heard;
      if (clock.now() >= patience.deadline || isForAll(heard, lastOf(run), { probe, clock })) return heard;
    }
  }

  forgetFrom(prober: string): void {
    if (!this.believed.delete(prober)) return;
    for (const { key, value } of this.kept.list()) if (value.askedBy === prober) this.kept.delete(key);
  }

  probers(): string[] {
    return [...this.believed];
  }

  private recall(key: string, probe: Probe): MailboxEvidence | undefined {
    const { parts, kept } = this;
    const known = kept.peek(key);
    if (known === undefined || !parts.isConclusive(probe, known)) return undefined;
    if (known.askedBy === undefined || parts.isBelieved(known.askedBy)) {
      const ageMs = this.ageOf(key);
      return givenAgain(known, probe.address, { ageMs, askedAt: parts.wallClock.now() - ageMs });
    }
    this.kept.delete(key);
    return undefined;
  }

  /** Returns how long ago a kept answer was given. */
  private ageOf(key: string): number {
    return this.parts.reuseMs - this.kept.lifeOf(key);
  }

  private begin(key: string, question: Question, { probe, patience }: Asking): Run {
    const { clock, prober } = this.parts;
    const run = startRun(probe, patience, clock);
    question.runs = withItem(question.runs, run);
    const onNamed = (): void => {
      if (run.isNamed) return;
      run.isNamed = true;
      run.askedAt = clock.now();
      for (const other of question.runs) if (other !== run && !other.isNamed) give(other, run, clock);
    };
    const { deadline, stop, withdrawal } = run;
    const withdrawn = withdrawal && { withdrawn: withdrawal.signal };
    const end = (): void => {
      run.isOver = true;
      question.runs = question.runs.filter((other) => other !== run);
      if (question.runs.length === 0 && this.open.get(key) === question) this.open.delete(key);
    };
    prober.ask({ ...probe, onNamed }, { deadline, signal: stop.signal, ...withdrawn }).then(
      (evidence) => {
        end();
        if (evidence.kind === 'answered') {
          this.keep(key, probe, { evidence, ageMs: clock.now() - run.askedAt });
          for (const other of question.runs) give(other, run, clock);
        }
        run.heard.resolve(evidence);
      },
      (error: unknown) => {
        end();
        // One that has left its queue for another run is answered by that one.
        if (run.into === undefined) run.heard.reject(error);
      },
    );
    return run;
  }

  private keep(key: string, { address }: Probe, { evidence, ageMs }: Given): void {
    const { reuseMs } = this.parts;
    if (ageMs >= reuseMs || ageMs > this.ageOf(key)) return;
    const { askedBy } = evidence;
    if (askedBy !== undefined) {
      if (!this.parts.isBelieved(askedBy)) return;
      this.believed.add(askedBy);
    }
    const isNameless = evidence.replies.every(({ text }) => withoutName(text, address) === text);
    const nameless = isNameless ? evidence : mapReplies(evidence, (text) => withoutName(text, address));
    this.kept.set(key, nameless, reuseMs - ageMs);
  }
}

function startRun({ asker }: Probe, { deadline, withdrawn }: Patience, clock: Clock): Run {
  return {
    asker,
    deadline,
    stop: new AbortController(),
    withdrawal: withdrawn && new AbortController(),
    heard: Promise.withResolvers(),
    askedAt: clock.now(),
    isNamed: false,
    isOver: false,
    waiting: 0,
    wanted: 0,
    whyWithdrawn: undefined,
    into: undefined,
  };
}

/** Counts a caller among those who wait; returns how it leaves. */
function join(run: Run, { withdrawn }: Patience): () => void {
  run.waiting += 1;
  run.wanted += 1;
  let isWanted = true;
  function withdraw(): void {
    const last = lastOf(run);
    if (isWanted) last.wanted -= 1;
    isWanted = false;
    if (withdrawn?.aborted === true) last.whyWithdrawn = withdrawn.reason;
    if (last.wanted === 0 && last.waiting > 0) endUnlessOwed(last);
  }
  withdrawn?.addEventListener('abort', withdraw);
  return () => {
    withdrawn?.removeEventListener('abort', withdraw);
    leave(run);
    withdraw();
  };
}

/** Everybody who still waits has withdrawn: no conversation is begun, and an answer that is owed is waited for. */
function endUnlessOwed(run: Run): void {
  if (run.withdrawal !== undefined) run.withdrawal.abort(run.whyWithdrawn);
  else if (!run.isNamed) run.stop.abort(run.whyWithdrawn);
}

type Asking = { probe: Probe; patience: Patience };

/** Callers that wait for one run wait for the other from now on; the first leaves its queue. */
function give(run: Run, into: Run, clock: Clock): void {
  if (run.into !== undefined || run.isOver) return;
  run.into = into;
  into.waiting += run.waiting;
  into.wanted += run.wanted;
  const cancelTimer = clock.after(run.deadline - clock.now(), () => run.heard.resolve(late));
  into.heard.promise.then(run.heard.resolve, run.heard.reject).finally(cancelTimer);
  run.stop.abort(answeredElsewhere);
}

const answeredElsewhere = new Error('somebody else asks for the same mailbox');
const everybodyLeft = new Error('everybody who asked has left');

function lastOf(run: Run): Run {
  let last = run;
  while (last.into !== undefined) last = last.into;
  return last;
}

/** A caller has been answered, or waits no longer. A run that nobody waits for is ended. */
function leave(run: Run): void {
  const last = lastOf(run);
  last.waiting -= 1;
  if (last.waiting === 0 && !last.isOver) last.stop.abort(everybodyLeft);
}

/** A run that a caller loses nothing by waiting for. */
function joinable({ runs }: Question, { account, urgency }: Asker): Run | undefined {
  return runs.find(
    (run) =>
      !run.isOver &&
      !run.stop.signal.aborted &&
      run.withdrawal?.signal.aborted !== true &&
      (run.isNamed ||
        (run.asker.account === account && (run.asker.urgency === urgency || run.asker.urgency === 'single'))),
  );
}

/** Whether another caller would hear the same: not if the run's time was up, or its account had to wait. */
function isForAll(
  heard: MailboxEvidence,
  run: Run,
  { probe, clock }: { probe: Probe; clock: Clock },
): boolean {
  if (heard.kind === 'answered') return true;
  if (clock.now() >= run.deadline) return false;
  return heard.connected || run.asker.account === probe.asker.account;
}

/** The evidence of a caller whose time is up. */
const late: MailboxEvidence = {
  kind: 'no_answer',
  reason: 'smtp_timeout',
  meaning: undefined,
  connected: true,
  host: undefined,
  replies: [],
};

/** Names a mailbox at mail hosts, in a form that tells neither. */
function createKeys(): (probe: Probe) => string {
  const secret = randomBytes(32).toString('hex');
  return ({ address, route: { mxRecords, preferred, implicit } }) => {
    const hosts = `${sorted(mxRecords.slice(0, preferred))}\n\n${sorted(mxRecords.slice(preferred))}`;
    const name = `${address.localPart}@${address.host}`;
    return hash('sha256', `${secret}\n${name}\n${String(implicit)}\n${hosts}`, 'base64url');
  };
}

const sorted = (hosts: string[]): string => (hosts.length > 1 ? hosts.sort() : hosts).join('\n');

type Names = Probe['address'];

/** `askedAt` is a point on the wall's clock. */
function givenAgain(
  evidence: Answered,
  address: Names,
  { ageMs, askedAt }: { ageMs: number; askedAt: number },
): Answered {
  const { catchAll } = evidence;
  const aged =
    catchAll.kind === 'undetermined' || catchAll.ageMs === undefined
      ? catchAll
      : { ...catchAll, ageMs: catchAll.ageMs + ageMs };
  return {
    ...mapReplies(evidence, (text) => withName(text, address)),
    catchAll: aged,
    askedAt,
  };
}

function mapReplies(evidence: Answered, map: (text: string) => string): Answered {
  return { ...evidence, replies: evidence.replies.map((reply) => ({ ...reply, text: map(reply.text) })) };
}

/** Stand for the address and for its local part; no reply that is kept has either character. */
const emailMark = '\u0001';
const localPartMark = '\u0002';

function withoutName(text: string, { localPart, host }: Names): string {
  const lower = text.toLowerCase();
  // Hardly any reply names the mailbox.
  if (lower.length === text.length && !lower.includes(localPart.toLowerCase())) return text;
  const nameless = replaceName(text, `${localPart}@${host}`, emailMark);
  return replaceName(nameless, localPart, localPartMark);
}

const letterOrDigit = /[\p{L}\p{N}]/u;

/** Replaces a name where it stands by itself, in whatever case. No pattern: one for each address would cost too much. */
function replaceName(text: string, name: string, mark: string): string {
  const [lower, wanted] = [text.toLowerCase(), name.toLowerCase()];
  // A few letters become two in lower case: then the places in both do not agree.
  if (lower.length !== text.length) return text.replaceAll(name, mark);
  let replaced = '';
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const standsAlone = !letterOrDigit.test(text.charAt(at - 1)) && !letterOrDigit.test(text.charAt(end));
    if (at < from || !standsAlone) continue;
    replaced += text.slice(from, at) + mark;
    from = end;
  }
  return replaced + text.slice(from);
}

function withName(text: string, { localPart, host }: Names): string {
  return text.replaceAll(emailMark, `${localPart}@${host}`).replaceAll(localPartMark, localPart);
}
