import type { Clock, Engine, Predecessor } from '@mailproof/engine';
import type { ProcessRegistry, ProcessRole } from '../db/process-registry.ts';
import type { Tx } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import {
  beginMs,
  egressChannel,
  halfMinuteMs,
  hasOwner,
  leaveEgress,
  mayFindOwner,
  noteEgressFigures,
  noteEgressProblem,
  prolongEgress,
  readEgress,
  takeEgress,
  type EgressAddress,
} from './egress-addresses.ts';

/**
 * The part of one process in the ownership of egress addresses. It looks every two seconds, at each notice, and when
 * somebody's lease ends: prolongs what is its own, takes what is nobody's where it may, and tells the engine from which
 * addresses conversations may begin, and until when. A process that cannot reach the store, or that stood still,
 * begins nothing after that moment, because by then another may have taken over.
 *
 * Probers and processes that do everything own addresses. An API or a worker does so only while the installation knows
 * no prober at all; once it does, they finish what is open and leave theirs.
 */
export type EgressKeeper = {
  /** Who owns what, as it was last seen; only what has an owner now, or is on its way to one. */
  addresses(): readonly EgressAddress[];
  /** Whether probes for it are a function call away. */
  isOurs(name: string): boolean;
  /** Whether all that are owned are ours. */
  areAllOurs(): boolean;
  /** Those that others may hand probes to us for; none while there are no others. */
  shared(): string[];
  /** Why nobody can ask any mail host now, where that is so. */
  problem(): string | undefined;
  /** Called when something may have changed hands or cannot ask any more. */
  onChange(listener: () => void): void;
  /** Looks once more now. */
  look(): Promise<void>;
  /** Leaves all that is ours to the next. To be called when nothing is asked any more. */
  stop(): Promise<void>;
};

type EgressKeeperParts = {
  store: Pick<Store, 'read' | 'write' | 'notify' | 'listen'>;
  clock: Clock;
  wallClock: WallClock;
  registry: Pick<ProcessRegistry, 'ownId' | 'findLiving'>;
  role: ProcessRole;
  engine: Pick<Engine, 'egress'>;
  /** Whether any prober outside the installation is enrolled. */
  hasOutsideProber: () => Promise<boolean>;
  /** `off`: nobody counts, so a process asks from its own addresses whoever owns them. */
  pacing: 'on' | 'off';
  onProblem: (message: string, error?: unknown) => void;
};

const lookEveryMs = 2_000;
const lookAgainMs = 500;

type Keeper = EgressKeeperParts & {
  rows: EgressAddress[];
  mayOwn: boolean;
  /** Whether another process of the installation lives, which may hand probes to us. */
  hasOthers: boolean;
  ours: Set<string>;
  /**
   * Whether no other process lived when this one started, nor since: the installation was killed and starts again, and
   * should not wait for its own lease.
   */
  startsAlone: boolean | undefined;
  /** Ours, but only until what is open has ended. */
  leaving: Set<string>;
  problems: Map<string, string>;
  /** What was last written of each address for the operator. */
  figures: Map<string, string>;
  failing: boolean;
  /** What the listeners were last told of. */
  seen: string;
  listeners: (() => void)[];
};

export async function keepEgress(parts: EgressKeeperParts): Promise<EgressKeeper> {
  const keeper: Keeper = {
    ...parts,
    rows: [],
    mayOwn: false,
    hasOthers: false,
    startsAlone: undefined,
    ours: new Set(),
    leaving: new Set(),
    problems: new Map(),
    figures: new Map(),
    failing: false,
    seen: '',
    listeners: [],
  };
  const loop = repeatLook(keeper);
  await loop.now();
  return {
    addresses: () => livingRows(keeper),
    isOurs: (name) => isOurs(name, keeper),
    areAllOurs: () => areAllOurs(keeper),
    shared: () => (keeper.hasOthers ? [...keeper.ours].filter((name) => !keeper.leaving.has(name)) : []),
    problem: () => problemOf(keeper),
    onChange: (listener) => void keeper.listeners.push(listener),
    look: loop.now,
    async stop() {
      await loop.stop();
      await leaveAll(keeper);
    },
  };
}

/** Where nobody owns any, those that may find an owner in a moment: whoever waits for one is not sent away before. */
function livingRows({ rows, wallClock }: Keeper): EgressAddress[] {
  const now = wallClock.now();
  const owned = rows.filter((row) => hasOwner(row, now));
  return owned.length > 0 ? owned : rows.filter((row) => mayFindOwner(row, now));
}

function isOurs(name: string, { ours, leaving, mayOwn, pacing, engine }: Keeper): boolean {
  if (pacing === 'off') return mayOwn && engine.egress.ids.includes(name);
  return ours.has(name) && !leaving.has(name);
}

function areAllOurs(keeper: Keeper): boolean {
  if (keeper.pacing === 'off' && !keeper.mayOwn) return false;
  if (keeper.pacing === 'on' && keeper.ours.size === 0) return false;
  return livingRows(keeper).every(({ name }) => isOurs(name, keeper));
}

function problemOf(keeper: Keeper): string | undefined {
  const living = livingRows(keeper);
  if (living.some(({ well }) => well)) return undefined;
  if (living.length === 0)
    return 'no prober: no process that may ask mail hosts runs, and no prober outside is connected (see docs/probers.md)';
  const told = living.map(({ name, whyNot }) => `${name} (${whyNot.replaceAll('_', ' ')})`);
  return `no prober can ask mail hosts: ${told.join(', ')}`;
}

/** One look at a time; a notice during one brings about another. */
function repeatLook(keeper: Keeper) {
  const { clock } = keeper;
  let cancel: () => void = () => undefined;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** Looks that are yet to end: that under way, and one for all that were asked for meanwhile. */
  let wanted = 0;

  async function run(): Promise<void> {
    cancel();
    for (wanted = 1; wanted > 0; wanted -= 1) await look(keeper);
    running = undefined;
    if (!stopped) cancel = clock.after(untilNextLook(keeper), () => void now());
  }
  function now(): Promise<void> {
    if (stopped) return Promise.resolve();
    if (running !== undefined) wanted = 2;
    return (running ??= run());
  }
  const endListening = keeper.store.listen(egressChannel, () => void now());
  return {
    now,
    stop: async (): Promise<void> => {
      stopped = true;
      endListening();
      cancel();
      await running;
    },
  };
}

/** Whoever waits for the end of a lease is there when it comes. */
function untilNextLook(keeper: Keeper): number {
  if (keeper.failing) return lookAgainMs;
  const now = keeper.wallClock.now();
  const ends = awaited(keeper).map((row) => freeFrom(row, keeper) - now);
  return Math.max(1, Math.min(lookEveryMs, ...ends));
}

function awaited({ rows, mayOwn, engine, registry }: Keeper): EgressAddress[] {
  if (!mayOwn) return [];
  return rows.filter(
    ({ name, kind, owner, leaseUntil }) =>
      kind === 'inside' && owner !== registry.ownId && leaseUntil > 0 && engine.egress.ids.includes(name),
  );
}

async function look(keeper: Keeper): Promise<void> {
  try {
    const living = await keeper.registry.findLiving();
    const mayOwn = await mayOwnEgress(living, keeper);
    keeper.mayOwn = mayOwn;
    keeper.hasOthers = living.length > 1;
    keeper.startsAlone = keeper.startsAlone !== false && !keeper.hasOthers;
    const found = await exchange(keeper);
    keeper.failing = false;
    takeIn(found, keeper);
    const seen = describe(keeper);
    const isNew = seen !== keeper.seen;
    keeper.seen = seen;
    if (isNew) keeper.listeners.forEach((listener) => listener());
  } catch (error) {
    if (!keeper.failing)
      keeper.onProblem('who owns which egress address cannot be read, so no mail host is asked', error);
    keeper.failing = true;
  }
}

/** All that others would act upon. */
function describe(keeper: Keeper): string {
  const { rows, leaving } = keeper;
  const living = new Set(livingRows(keeper));
  return JSON.stringify([
    rows.map((row) => [row.name, row.owner, row.fence, row.well, living.has(row)]),
    [...leaving],
    keeper.hasOthers,
  ]);
}

const probing: ReadonlySet<ProcessRole> = new Set<ProcessRole>(['all', 'prober']);

async function mayOwnEgress(
  living: readonly { role: ProcessRole }[],
  { role, hasOutsideProber }: Keeper,
): Promise<boolean> {
  if (probing.has(role)) return true;
  return !living.some((one) => probing.has(one.role)) && !(await hasOutsideProber());
}

type Exchanged = {
  rows: EgressAddress[];
  taken: Map<string, Predecessor>;
  /** Before the leases were prolonged, on the engine's clock. */
  askedAt: number;
};

/** Who owns nothing and finds nothing to take only reads. */
async function exchange(keeper: Keeper): Promise<Exchanged> {
  const { store, clock, registry } = keeper;
  const askedAt = clock.now();
  const rows = keeper.ours.size > 0 ? undefined : await readEgress(store.read);
  const isIdle = rows?.every(({ owner }) => owner !== registry.ownId) === true;
  if (rows !== undefined && isIdle && freeOf(rows, keeper).length === 0)
    return { rows, taken: new Map(), askedAt };
  // Under a key of its own: where others wait for a table that somebody has locked, we go on.
  const written = await store.write((tx) => prolongAndTake(tx, keeper), `egress:${registry.ownId}`);
  keeper.problems = written.problems;
  keeper.figures = written.figures;
  if (written.isNews) store.notify(egressChannel);
  return written;
}

async function prolongAndTake(tx: Tx, keeper: Keeper) {
  const { clock, wallClock, registry } = keeper;
  const askedAt = clock.now();
  const at = { owner: registry.ownId, now: wallClock.now() };
  const left = await leaveIdle(tx, at, keeper);
  await prolongEgress(tx, at);
  const problems = await noteProblems(tx, at, keeper);
  const figures = await noteFigures(tx, at, keeper);
  const taken = new Map<string, Predecessor>();
  const rows = await readEgress(tx);
  for (const name of freeOf(rows, keeper)) {
    const from = await takeEgress(tx, name, { ...at, startsAlone: keeper.startsAlone === true });
    if (from !== undefined) taken.set(name, from);
  }
  const isNews = left > 0 || taken.size > 0 || !isSame(problems, keeper.problems);
  return { rows: taken.size > 0 ? await readEgress(tx) : rows, taken, problems, figures, askedAt, isNews };
}

/** When an address of another process is free for us. */
function freeFrom({ leaseUntil }: EgressAddress, { startsAlone }: Keeper): number {
  return startsAlone === true ? leaseUntil - halfMinuteMs : leaseUntil;
}

/** Those that we could own and nobody does. */
function freeOf(rows: EgressAddress[], keeper: Keeper): string[] {
  const { mayOwn, engine, wallClock } = keeper;
  if (!mayOwn) return [];
  const now = wallClock.now();
  return engine.egress.ids.filter((id) => {
    const row = rows.find(({ name }) => name === id);
    return row === undefined || (row.kind === 'inside' && freeFrom(row, keeper) <= now);
  });
}

/** What nothing is open on any more goes to the next. */
async function leaveIdle(tx: Tx, at: { owner: string; now: number }, keeper: Keeper): Promise<number> {
  const { leaving, engine } = keeper;
  const idle = [...leaving].filter((name) => engine.egress.conversations(name) === 0);
  for (const name of idle)
    await leaveEgress(tx, { ...fenced(name, keeper), handOver: engine.egress.handOver(name) }, at);
  return idle.length;
}

async function noteProblems(tx: Tx, at: { owner: string }, keeper: Keeper): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of keeper.ours) {
    const whyNot = keeper.engine.egress.problem(name) ?? '';
    if (whyNot !== '') found.set(name, whyNot);
    if (whyNot !== (keeper.problems.get(name) ?? '')) await noteEgressProblem(tx, { name, whyNot }, at);
  }
  return found;
}

/** For the operator alone, so nobody is told of a change. */
async function noteFigures(tx: Tx, at: { owner: string }, keeper: Keeper): Promise<Map<string, string>> {
  const { engine, figures: before } = keeper;
  const noted = new Map<string, string>();
  for (const name of keeper.ours) {
    const figures = { conversations: engine.egress.conversations(name), resting: engine.egress.resting() };
    const text = JSON.stringify(figures);
    noted.set(name, text);
    if (before.get(name) !== text) await noteEgressFigures(tx, { name, ...figures }, at);
  }
  return noted;
}

function isSame(one: Map<string, string>, other: Map<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, whyNot]) => other.get(name) === whyNot);
}

/** Tells the engine what is its own from now on. */
function takeIn({ rows, taken, askedAt }: Exchanged, keeper: Keeper): void {
  const { engine, registry, ours: before, leaving, mayOwn } = keeper;
  keeper.rows = rows;
  keeper.ours = new Set(rows.flatMap(({ name, owner }) => (owner === registry.ownId ? [name] : [])));
  for (const name of before) {
    if (keeper.ours.has(name) && mayOwn) continue;
    engine.egress.giveUp(name);
    if (keeper.ours.has(name)) leaving.add(name);
    else leaving.delete(name);
  }
  if (!mayOwn) return;
  leaving.clear();
  for (const name of keeper.ours) {
    // Taken by a statement whose answer was lost: then nothing is known of who was before.
    const from = taken.get(name) ?? (before.has(name) ? undefined : ({ kind: 'died', agoMs: 0 } as const));
    if (from === undefined) engine.egress.allowUntil(name, askedAt + beginMs);
    else engine.egress.takeOver(name, from, askedAt + beginMs);
  }
}

/** The fence under which an address was last seen to be ours. */
function fenced(name: string, { rows }: Keeper): { name: string; fence: number } {
  return { name, fence: rows.find((row) => row.name === name)?.fence ?? 0 };
}

/** A lease whose end does not arrive ends by itself. */
async function leaveAll(keeper: Keeper): Promise<void> {
  const { store, engine, registry, wallClock, ours, onProblem } = keeper;
  if (ours.size === 0) return;
  const left = [...ours].map((name) => {
    engine.egress.giveUp(name);
    return { ...fenced(name, keeper), handOver: engine.egress.handOver(name) };
  });
  const at = { owner: registry.ownId, now: wallClock.now() };
  try {
    await store.write(async (tx) => {
      for (const one of left) await leaveEgress(tx, one, at);
    }, `egress:${registry.ownId}`);
    store.notify(egressChannel);
  } catch (error) {
    onProblem('egress addresses could not be left to the next owner, who has to wait', error);
  }
}
