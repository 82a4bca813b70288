/**
 * The questions by which one resolver is tried: names that must exist, each asked for its mail hosts, its address
 * and its texts. An answer proves the resolver only if it cannot come from a cache, for a cache goes on answering
 * when the way out is dead.
 *
 * Two questions are asked at a time, and a few more at the start: the one whose answer runs out first, and one
 * without an answer yet. A cache counts the life of an answer down. So an answer that lives longer than the last one
 * allowed was fetched anew: it is `fresh`.
 *
 * A denial counts if the name is certain, or was found before. Further names count if most of the names asked so far
 * exist: a small DNS may know only a few of them. The denial of a further name stops counting while other names are
 * found, until it is found itself.
 */
import type { Clock } from '../clock.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { DnsAnswer, DnsQuestion } from './lookup.ts';

/** Names by which a resolver is tried. */
export type ControlNames = {
  /** Named by the operator: each must exist. */
  certain: readonly CanonicalHost[];
  /** Asked in turn with those, so that no cache holds them all; none in a closed network. */
  further: readonly CanonicalHost[];
};

type ControlQuestion = DnsQuestion & { name: CanonicalHost };

export type ControlFinding =
  | { kind: 'proved' }
  /** The resolver says of these that they are not there, or hold nothing. */
  | { kind: 'denies'; names: CanonicalHost[] }
  /** No answer, or only answers that a cache may hold. */
  | { kind: 'unproved' };

type ControlParts = {
  names: ControlNames;
  clock: Clock;
  /** Whether no mail host can be at this IP address: an answer with such addresses alone finds nothing. */
  leadsNowhere(ip: string): boolean;
};

type Entry = {
  question: ControlQuestion;
  isCertain: boolean;
  askedAt: number;
  /** Found by its last answer, and found by any answer. */
  isFound: boolean;
  wasFound: boolean;
  /** When a cache has dropped the last answer, on the clock. */
  runsOutAt: number;
  /** Its denial counted, and nothing was proved since. */
  isDenied: boolean;
};

type Reading = 'fresh' | 'held' | 'denied' | 'absent' | 'no_answer';

/** DNS counts in whole seconds. */
const roundingMs = 1_000;

/** Further names that must have been found before the denial of another counts. */
const wideFrom = 4;

/** When a question without an answer is asked again, unless its denial counted or there is no other. */
const againAfterMs = 3_600_000;

export class ControlQuestions {
  private readonly parts: ControlParts;
  private readonly entries: readonly Entry[];
  /** Further names that exist, and further names that do not. */
  private readonly foundNames = new Set<CanonicalHost>();
  private readonly absentNames = new Set<CanonicalHost>();
  /** Denied while others were found: their denial says nothing until they are found again. */
  private readonly mutedNames = new Set<CanonicalHost>();
  private hasFoundAny = false;
  private asksDenied = false;

  constructor(parts: ControlParts) {
    this.parts = parts;
    this.entries = entriesFor(parts.names);
  }

  /** Returns the questions of the next control. */
  next(): ControlQuestion[] {
    const now = this.parts.clock.now();
    const found = this.entries.filter(({ isFound }) => isFound).sort((a, b) => a.runsOutAt - b.runsOutAt);
    const others = this.entries.filter(({ isFound }) => !isFound).sort((a, b) => a.askedAt - b.askedAt);
    // A denied name is asked for every other time: it may be found again, or be gone while others are there.
    const denied = others.filter(({ isDenied }) => isDenied);
    const isOfDenied = ({ question }: Entry) => denied.some((one) => one.question.name === question.name);
    const due = others.filter((entry) => entry.askedAt + againAfterMs <= now && !isOfDenied(entry));
    this.asksDenied = found.length === 0 || !this.asksDenied;
    const unsettled = this.asksDenied ? [...denied, ...due] : [...due, ...denied];
    // The first control also finds out whether further names are there at all.
    const isFirst = this.entries.every(({ askedAt }) => askedAt === -Infinity);
    const survey = isFirst ? others.filter(isFurtherMx).slice(0, wideFrom) : [];
    const chosen = [...found.slice(0, 1), ...unsettled, ...found.slice(1), ...others]
      .slice(0, 2)
      .concat(survey);
    for (const entry of chosen) entry.askedAt = now;
    return chosen.map(({ question }) => question);
  }

  /** Reads the answers to them, in the same order. */
  read(asked: readonly ControlQuestion[], answers: readonly DnsAnswer[]): ControlFinding {
    const readings = asked.map((question, index) => {
      const entry = this.entries.find((one) => one.question === question);
      const answer = answers[index];
      if (entry === undefined || answer === undefined) throw new Error('no control question');
      return { name: question.name, reading: this.readOne(entry, answer) };
    });
    const isReading = (wanted: Reading) => readings.some(({ reading }) => reading === wanted);
    const denied = readings.filter(
      ({ reading }) => reading === 'denied' || (reading === 'absent' && !this.hasFoundAny),
    );
    if (denied.length > 0) return { kind: 'denies', names: [...new Set(denied.map(({ name }) => name))] };
    if (!isReading('fresh') && !(isReading('held') && this.isBestToBeHad())) return { kind: 'unproved' };
    this.muteDenied();
    return { kind: 'proved' };
  }

  private readOne(entry: Entry, { lookup, ttlS }: DnsAnswer): Reading {
    if (lookup.kind === 'failed') return 'no_answer';
    const { type, name } = entry.question;
    const isNothing = ({ text }: { text: string }) => type === 'A' && this.parts.leadsNowhere(text);
    if (lookup.kind !== 'found' || lookup.records.every(isNothing))
      return this.readDenial(entry, lookup.kind === 'no_such_name');
    const runsOutAt = this.parts.clock.now() + 1_000 * ttlS;
    const isFresh = !entry.isFound || runsOutAt > entry.runsOutAt + roundingMs;
    Object.assign(entry, { isFound: true, wasFound: true, isDenied: false, runsOutAt });
    this.hasFoundAny = true;
    if (!entry.isCertain) {
      this.foundNames.add(name);
      this.absentNames.delete(name);
      this.mutedNames.delete(name);
    }
    return isFresh ? 'fresh' : 'held';
  }

  private readDenial(entry: Entry, noSuchName: boolean): Reading {
    const reading = this.judgeDenial(entry, noSuchName);
    entry.isFound = false;
    entry.isDenied = reading === 'denied';
    return reading;
  }

  private judgeDenial(entry: Entry, noSuchName: boolean): Reading {
    const isMuted = this.mutedNames.has(entry.question.name);
    if (entry.wasFound && !isMuted) return 'denied';
    // A name that exists need not hold every type.
    if (!noSuchName || isMuted) return 'absent';
    if (entry.isCertain || this.isWide()) return 'denied';
    this.absentNames.add(entry.question.name);
    return 'absent';
  }

  /** Whether most of the further names are there. */
  private isWide(): boolean {
    return this.foundNames.size >= wideFrom && this.foundNames.size >= 3 * this.absentNames.size;
  }

  private muteDenied(): void {
    for (const entry of this.entries) {
      if (!entry.isDenied || entry.isCertain) continue;
      entry.isDenied = false;
      this.mutedNames.add(entry.question.name);
      this.absentNames.add(entry.question.name);
    }
  }

  /** Whether a held answer is the best there is: with a few names of the operator's own, a cache may hold them all. */
  private isBestToBeHad(): boolean {
    const now = this.parts.clock.now();
    const isRipe = ({ isFound, runsOutAt }: Entry) => isFound && runsOutAt <= now;
    return this.parts.names.further.length === 0 && !this.entries.some(isRipe);
  }
}

function isFurtherMx({ isCertain, question }: Entry): boolean {
  return !isCertain && question.type === 'MX';
}

/** Returns the entries in order: mail hosts and address of each name, certain names first, then the texts of all. */
function entriesFor({ certain, further }: ControlNames): Entry[] {
  const names = [
    ...certain.map((name) => ({ name, isCertain: true })),
    ...further.filter((name) => !certain.includes(name)).map((name) => ({ name, isCertain: false })),
  ];
  const entry = (name: (typeof names)[number], type: DnsQuestion['type']): Entry => ({
    question: { name: name.name, type },
    isCertain: name.isCertain,
    askedAt: -Infinity,
    isFound: false,
    wasFound: false,
    runsOutAt: -Infinity,
    isDenied: false,
  });
  return [
    ...names.flatMap((name) => [entry(name, 'MX'), entry(name, 'A')]),
    ...names.map((name) => entry(name, 'TXT')),
  ];
}
