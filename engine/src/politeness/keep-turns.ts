import type { Clock } from '../clock.ts';
import {
  everything,
  turnKeptMs,
  turnMs,
  type HeldTurn,
  type ReturnedTurn,
  type TurnBook,
} from './turn-book.ts';

/**
 * The turns of one process. It asks for a turn when somebody waits for a conversation, and gives it back when nothing
 * is open there and nobody waits any more, or when another process wants it.
 *
 *     not ours ──▶ asked for ──▶ ours for three seconds ──▶ lapsed ──▶ asked for again, or given back
 *
 * A turn that another process wants is not prolonged once it was used: it lapses, what is open ends, and it is given
 * back. Of several keys the first that is lacking is asked for, and the next only when that is there; it is kept until
 * the next has come. All processes ask in the same order, so no two wait for each other. If the book cannot be
 * reached, turns lapse and nothing is begun.
 */
export type Turns = {
  /** The first of these keys that is not ours now, which is then asked for. */
  lacking(keys: readonly string[]): string | undefined;
  /** Gives everything back. */
  stop(): void;
};

type TurnsParts = {
  book: TurnBook;
  clock: Clock;
  /** A turn that was asked for has come. */
  onTurn(key: string): void;
  onProblem(message: string): void;
  ledger: TurnLedger;
};

/** What the pacer has counted under a key. */
export type TurnLedger = {
  isOpen(key: string): boolean;
  /** For the next who has the turn. */
  save(key: string): unknown;
  load(turn: HeldTurn): void;
  /** The keys under which somebody was talked to within the last minute. */
  recent(): string[];
};

type Turn = {
  grant: number;
  beginsUntil: number;
  /** Nobody else has it before. */
  keptUntil: number;
  askedFor: number;
  used: boolean;
  /** Another process wants it, so it was not prolonged. */
  over: boolean;
};

/** `again`: something was asked for while the book was being read. */
type Desk = TurnsParts & {
  held: Map<string, Turn>;
  /** Given back, but whether that arrived is not known. */
  unsure: ReturnedTurn[];
  /** What is asked for, each with the keys that are ours already and wait for it. */
  wishes: Map<string, Set<string>>;
  /** Taken one by one before the turn of everything is given back. */
  singly: string[] | undefined;
  refusedAllAt: number;
  lookedAt: number;
  state: 'at_rest' | 'busy' | 'busy_again' | 'stopped';
  failing: boolean;
  timer: { at: number; cancel: () => void } | undefined;
};

const askAgainMs = 250;
const lookEveryMs = 1_000;
/** What is held is looked through so often at most. */
const lookAgainMs = 200;
/** The turn of everything is asked for again so long after it was refused. */
const askForAllMs = 10_000;
/** Keys in one exchange, so that others get their turn with the store. */
const mostKeys = 500;

export function createTurns(parts: TurnsParts): Turns {
  const catchAllLookups: Desk = {
    ...parts,
    held: new Map(),
    unsure: [],
    wishes: new Map(),
    singly: undefined,
    refusedAllAt: -Infinity,
    lookedAt: -Infinity,
    state: 'at_rest',
    failing: false,
    timer: undefined,
  };
  parts.book.listen(() => {
    if (catchAllLookups.held.size > 0 || catchAllLookups.wishes.size > 0) wake(catchAllLookups, 0);
  });
  return {
    lacking: (keys) => lacking(keys, catchAllLookups),
    stop() {
      catchAllLookups.timer?.cancel();
      if (catchAllLookups.state === 'at_rest') giveUp([], catchAllLookups);
      catchAllLookups.state = 'stopped';
    },
  };
}

function lacking(keys: readonly string[], catchAllLookups: Desk): string | undefined {
  const hasAll = isOurs(everything, catchAllLookups) && catchAllLookups.singly === undefined;
  const missing = hasAll ? undefined : keys.find((one) => !isOurs(one, catchAllLookups));
  if (missing === undefined) {
    for (const key of keys) {
      const turn = catchAllLookups.held.get(key);
      if (turn !== undefined) turn.used = true;
    }
    return undefined;
  }
  const waiting = catchAllLookups.wishes.get(missing) ?? new Set();
  for (const key of keys.slice(0, keys.indexOf(missing))) waiting.add(key);
  catchAllLookups.wishes.set(missing, waiting);
  wake(catchAllLookups, 0);
  return missing;
}

function isOurs(key: string, { held, clock }: Desk): boolean {
  const turn = held.get(key);
  if (turn === undefined) return false;
  turn.askedFor = clock.now();
  return turn.beginsUntil > clock.now();
}

function wake(catchAllLookups: Desk, inMs: number): void {
  const { clock, state, timer } = catchAllLookups;
  if (state === 'busy' && inMs === 0) catchAllLookups.state = 'busy_again';
  const at = clock.now() + inMs;
  if (state !== 'at_rest' || (timer !== undefined && timer.at <= at)) return;
  timer?.cancel();
  catchAllLookups.timer = { at, cancel: clock.after(inMs, () => void exchange(catchAllLookups)) };
}

async function exchange(catchAllLookups: Desk): Promise<void> {
  const { book, clock } = catchAllLookups;
  catchAllLookups.timer = undefined;
  catchAllLookups.state = 'busy';
  const startedAt = clock.now();
  const giveBack = [...catchAllLookups.unsure, ...toGiveBack(catchAllLookups)];
  const asked = toAskFor(catchAllLookups);
  const take = asked.filter((key) => catchAllLookups.held.get(key)?.used !== true);
  const prolong = asked.filter((key) => catchAllLookups.held.get(key)?.used === true);
  const isNothing = asked.length + giveBack.length === 0;
  const turns = isNothing
    ? []
    : await book.exchange({ take, prolong, giveBack }).catch((error: unknown) => {
        catchAllLookups.unsure = giveBack;
        miss(error, catchAllLookups);
        return undefined;
      });
  // It may have been stopped meanwhile.
  if (isStopped(catchAllLookups)) {
    giveUp(turns ?? [], catchAllLookups);
    return;
  }
  if (turns !== undefined) takeIn(turns, { asked, startedAt }, catchAllLookups);
  const again = isAskedAgain(catchAllLookups) || catchAllLookups.singly !== undefined;
  catchAllLookups.state = 'at_rest';
  if (again && !catchAllLookups.failing) wake(catchAllLookups, 0);
  else if (again || catchAllLookups.failing || catchAllLookups.wishes.size > 0)
    wake(catchAllLookups, askAgainMs);
  else if (catchAllLookups.held.size > 0) wake(catchAllLookups, lookEveryMs);
}

function isAskedAgain({ state }: Desk): boolean {
  return state === 'busy_again';
}

function isStopped({ state }: Desk): boolean {
  return state === 'stopped';
}

function returned([key, { grant }]: [string, Turn], { ledger }: Desk): ReturnedTurn {
  return { key, grant, state: key === everything ? undefined : ledger.save(key) };
}

/** What nobody waits for, and what another wants, as soon as nothing is open there. */
function toGiveBack(catchAllLookups: Desk): ReturnedTurn[] {
  const { held, clock } = catchAllLookups;
  if (clock.now() - catchAllLookups.lookedAt < lookAgainMs && catchAllLookups.singly === undefined) return [];
  catchAllLookups.lookedAt = clock.now();
  const needed = neededKeys(catchAllLookups);
  const done = [...held].filter(([key, turn]) => !needed.has(key) && isDone(key, turn, catchAllLookups));
  if (done.some(([key]) => key === everything)) catchAllLookups.singly = undefined;
  for (const [key] of done) held.delete(key);
  return done.map((turn) => returned(turn, catchAllLookups));
}

/** Ours, not used yet, and waiting for the next. */
function neededKeys({ wishes, held }: Desk): Set<string> {
  const keys = [...wishes.values()].flatMap((waiting) => [...waiting]);
  return new Set(keys.filter((key) => held.get(key)?.used === false));
}

function isDone(key: string, turn: Turn, { clock, ledger, singly }: Desk): boolean {
  const now = clock.now();
  if (key === everything) return singly?.length === 0 || isForgotten(turn, { clock, ledger });
  const isIdle = now - turn.askedFor >= lookEveryMs;
  return (isIdle || (turn.over && turn.beginsUntil <= now)) && !ledger.isOpen(key);
}

/** Nobody has asked for anything for so long that the last conversations are no longer counted. */
function isForgotten({ askedFor }: Turn, { clock, ledger }: Pick<Desk, 'clock' | 'ledger'>): boolean {
  return clock.now() - askedFor > turnKeptMs && ledger.recent().length === 0;
}

function toAskFor(catchAllLookups: Desk): string[] {
  const { book, clock, held, wishes } = catchAllLookups;
  const soon = clock.now() + turnMs / 2;
  const lapsing = [...neededKeys(catchAllLookups)].filter((key) => (held.get(key)?.beginsUntil ?? 0) < soon);
  const keys = [...new Set([...lapsing, ...wishes.keys()])].slice(0, mostKeys);
  if (catchAllLookups.singly !== undefined) return [...keys, ...catchAllLookups.singly.splice(0, mostKeys)];
  const mayBeAlone = held.has(everything) || clock.now() - catchAllLookups.refusedAllAt > askForAllMs;
  const asksForAll = book.lendsEverything && mayBeAlone && (held.size > 0 || wishes.size > 0);
  return asksForAll ? [everything, ...keys] : keys;
}

type Asked = { asked: string[]; startedAt: number };

function takeIn(turns: HeldTurn[], { asked, startedAt }: Asked, catchAllLookups: Desk): void {
  const { held, wishes, ledger, clock } = catchAllLookups;
  catchAllLookups.failing = false;
  catchAllLookups.unsure = [];
  const hadAll = (held.get(everything)?.keptUntil ?? -Infinity) > clock.now();
  const ours = new Set(turns.map(({ key }) => key));
  for (const key of asked) if (!ours.has(key)) lose(key, catchAllLookups);
  for (const turn of turns) {
    const known = held.get(turn.key);
    // Under a turn that we had, nobody else has talked to anyone: what we counted ourselves is later.
    if (known?.grant !== turn.grant && !hadAll && turn.key !== everything) ledger.load(turn);
    const askedFor = known?.askedFor ?? clock.now();
    const used = turn.key === everything;
    held.set(turn.key, {
      grant: turn.grant,
      beginsUntil: startedAt + turnMs,
      keptUntil: startedAt + turnKeptMs,
      ...{ askedFor, used, over: false },
    });
  }
  const hasAll = ours.has(everything) && catchAllLookups.singly === undefined;
  const came = [...wishes.keys()].filter((key) => hasAll || ours.has(key));
  for (const key of came) wishes.delete(key);
  for (const key of came) catchAllLookups.onTurn(key);
}

/** Not prolonged, or not given. Whoever had everything goes on with what it has used lately. */
function lose(key: string, catchAllLookups: Desk): void {
  const turn = catchAllLookups.held.get(key);
  if (turn !== undefined) turn.over = true;
  if (key !== everything) return;
  catchAllLookups.refusedAllAt = catchAllLookups.clock.now();
  if (turn !== undefined) catchAllLookups.singly ??= catchAllLookups.ledger.recent();
}

/** Whether anything was taken is not known; nothing is begun until the book answers again. */
function miss(error: unknown, catchAllLookups: Desk): void {
  if (catchAllLookups.singly !== undefined) catchAllLookups.singly = catchAllLookups.ledger.recent();
  const why = error instanceof Error ? error.message : String(error);
  if (!catchAllLookups.failing)
    catchAllLookups.onProblem(`whose turn it is cannot be read, so no mail host is asked: ${why}`);
  catchAllLookups.failing = true;
}

/** One that does not arrive is free by itself a minute later. */
function giveUp(turns: HeldTurn[], catchAllLookups: Desk): void {
  const { held, book, unsure } = catchAllLookups;
  const untouched = turns.filter(({ key }) => !held.has(key));
  const giveBack = [...unsure, ...untouched, ...[...held].map((turn) => returned(turn, catchAllLookups))];
  held.clear();
  if (giveBack.length > 0) book.exchange({ take: [], prolong: [], giveBack }).catch(() => undefined);
}
