import { hash, randomBytes } from 'node:crypto';
import { createBoundedCache, type BoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { MailboxEvidence } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { Patience } from '../patience.ts';
import { withItem } from '../with-item.ts';
import type { Prober, Probe } from './prober.ts';
import { Caller, Run } from './question-run.ts';

/**
 * Asks for a mailbox once, however many callers want to know.
 *
 *     a caller ──▶ kept answer, younger than `reuseMs` ──▶ given again, with the time at which it was given first
 *        └──▶ asked already? ──▶ waits for that ──▶ the same answer
 *                └──▶ asks, and keeps the answer
 *
 * Events that could make a shared answer wrong, and the guard against each:
 *
 * - A mailbox is made or closed meanwhile: ten minutes at most, and a caller may insist (`isFresh`). Then it does not
 *   wait for another caller's question either.
 * - The MX records change: they are part of the key.
 * - An `unknown` may change in a moment: only conclusive evidence is given again, and it is judged each time.
 * - A prober elsewhere turns out to lie: its answers are forgotten (`forgetFrom`).
 * - A caller withdraws: the question goes on for the others; if all have, it ends unless a mail host owes an answer.
 * - The first caller leaves, or has less time: the question goes on while any caller waits, and a caller whose time is
 *   not up asks for itself.
 * - A caller would wait behind another account's limits, or a single verification behind a list: each asks on its own
 *   until a mail host is named the mailbox. Then all wait for that one, and the others leave their queues unasked.
 *
 * Nothing that is kept names a mailbox: keys are hashes with a secret of this process, and replies are kept without the
 * address. If nothing is kept, keys live as long as their question and are plain.
 */
export type AnswerSharing = Prober & {
  /** Forgets the answers of a prober elsewhere. */
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

/** The ways in which one question is being asked; hardly ever more than one. */
type Question = { runs: readonly Run[] };

export function createAnswerSharing(parts: SharingParts): AnswerSharing {
  return new SharedAnswers(parts);
}

class SharedAnswers implements AnswerSharing {
  private readonly parts: SharingParts;
  private readonly keyOf: (probe: Probe) => string;
  /** Each answer is kept for `reuseMs` from when it was given. */
  private readonly kept: BoundedCache<Answered>;
  private readonly open = new Map<string, Question>();
  private readonly believed = new Set<string>();

  constructor(parts: SharingParts) {
    this.parts = parts;
    this.keyOf = parts.reuseMs > 0 ? createHashedKeys() : plainKey;
    this.kept = createBoundedCache({ clock: parts.clock, maxEntries: parts.maxEntries });
  }

  async ask(probe: Probe, patience: Patience): Promise<MailboxEvidence> {
    const { signal, withdrawn, deadline } = patience;
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    if (signal.aborted) throw signal.reason;
    if (withdrawn?.aborted === true) throw withdrawn.reason;
    const key = this.keyOf(probe);
    if (probe.isFresh === true) this.kept.delete(key);
    const known = this.recall(key, probe);
    if (known !== undefined) return known;
    const { clock } = this.parts;
    for (let mayJoin = probe.isFresh !== true; ; mayJoin = false) {
      const question = this.questionOf(key, probe);
      const joined = mayJoin ? joinable(question, probe.asker) : undefined;
      const run = joined ?? this.begin(key, question, { probe, patience });
      const caller = new Caller(run, patience, clock);
      // A run of its own ends by itself at the caller's deadline.
      if (joined !== undefined) caller.heedDeadline();
      const heard = await caller.heard;
      if (joined === undefined && caller.run === run) return heard;
      if (clock.now() >= deadline || isForAll(heard, caller.run, { probe, clock })) return heard;
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

  private questionOf(key: string, { isFresh }: Probe): Question {
    const open = isFresh === true ? undefined : this.open.get(key);
    if (open !== undefined) return open;
    const question = { runs: [] };
    this.open.set(key, question);
    return question;
  }

  private begin(key: string, question: Question, { probe, patience }: Asking): Run {
    const { clock, prober } = this.parts;
    const run = new Run(probe.asker, patience, clock.now());
    question.runs = withItem(question.runs, run);
    const onNamed = (): void => {
      if (run.isNamed) return;
      run.isNamed = true;
      run.askedAt = clock.now();
      for (const other of question.runs) if (other !== run && !other.isNamed) other.giveCallersTo(run);
    };
    prober.ask({ ...probe, onNamed }, run.patience()).then(
      (evidence) => {
        this.end(run, key, question);
        if (evidence.kind === 'answered') {
          this.keep(key, probe, { evidence, ageMs: clock.now() - run.askedAt });
          for (const other of question.runs) other.giveCallersTo(run);
        }
        run.tell((caller) => caller.hear(evidence));
      },
      (error: unknown) => {
        this.end(run, key, question);
        run.tell((caller) => caller.fail(error));
      },
    );
    return run;
  }

  private end(run: Run, key: string, question: Question): void {
    run.isOver = true;
    question.runs = question.runs.filter((other) => other !== run);
    if (question.runs.length === 0 && this.open.get(key) === question) this.open.delete(key);
  }

  private keep(key: string, { address }: Probe, { evidence, ageMs }: Given): void {
    const { reuseMs } = this.parts;
    if (ageMs >= reuseMs) return;
    // An answer that was given later has come first.
    if (this.kept.peek(key) !== undefined && ageMs > this.ageOf(key)) return;
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

type Asking = { probe: Probe; patience: Patience };

/** Returns a run that a caller loses nothing by waiting for. */
function joinable({ runs }: Question, { account, urgency }: Asker): Run | undefined {
  return runs.find(
    (run) =>
      run.isOpen() &&
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

/** Makes keys for a mailbox at mail hosts, in a form that tells neither. */
function createHashedKeys(): (probe: Probe) => string {
  const secret = randomBytes(32).toString('hex');
  return (probe) => hash('sha256', `${secret}\n${plainKey(probe)}`, 'base64url');
}

function plainKey({ address, route: { mxRecords, preferred, implicit } }: Probe): string {
  const hosts = mxRecords.length === 1 ? mxRecords[0] : inAnyOrder(mxRecords, preferred);
  return `${address.localPart}@${address.host}\n${String(implicit)}\n${hosts ?? ''}`;
}

/** Names mail hosts; the order among equals does not matter. */
function inAnyOrder(hosts: readonly string[], preferred: number): string {
  return `${hosts.slice(0, preferred).sort().join('\n')}\n\n${hosts.slice(preferred).sort().join('\n')}`;
}

type Names = Probe['address'];

/** `askedAt` is a point on the wall clock. */
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

/** Marks for the address and for its local part; no kept reply has either character. */
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

/** Replaces a name that stands by itself, in any case. No pattern: one for each address would cost too much. */
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
