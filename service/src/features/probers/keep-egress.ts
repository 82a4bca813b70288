import type { Clock, Engine, Predecessor } from '@mailproof/engine';
import type { ProcessRegistry, ProcessRole } from '../../core/store/process-registry.ts';
import type { Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import {
  beginMs,
  egressChannel,
  leaveEgress,
  prolongEgress,
  readEgress,
  rightEndsAt,
  takeEgress,
  type EgressAddress,
} from './egress-addresses.ts';
import { noteAll, type EgressNotes } from './egress-notes.ts';
import { problemOfEgress, unprovenEgress, usableEgress, type EgressView } from './egress-view.ts';
import { mayAskMailHosts } from './who-may-ask.ts';

/**
 * The part of one process in the ownership of egress addresses. It looks every two seconds, at each notice, and when
 * somebody's lease ends: prolongs what is its own, takes what is nobody's where it may, and tells the engine from which
 * addresses conversations may begin, and until when. A process that cannot reach the store, or that stood still,
 * begins nothing after that moment, because by then another may have taken over.
 *
 * Which roles may own addresses is said in who-may-ask.ts. A process that may not any more finishes what is open and
 * leaves its addresses. If nobody can ask, one line of the log says so, and one more when somebody can again.
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
  /** Addresses that ask no public mail host, because their HELO names are not proven; none while another can ask. */
  unproven(): string[];
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
  registry: Pick<ProcessRegistry, 'ownId' | 'findLiving' | 'findDead'>;
  role: ProcessRole;
  engine: Pick<Engine, 'egress'>;
  /** Whether the installation ever had a prober. */
  hadProber: () => Promise<boolean>;
  /** `off`: nobody counts, so a process asks from its own addresses whoever owns them. */
  pacing: 'on' | 'off';
  onProblem: (message: string, error?: unknown) => void;
  /** Told when a problem is over, or when an address was taken over from a dead process. */
  onRecovery: (message: string) => void;
};

const lookEveryMs = 2_000;
const lookAgainMs = 500;

type Keeper = EgressKeeperParts & {
  rows: EgressAddress[];
  mayOwn: boolean;
  /** Whether another process of the installation lives, which may hand probes to us. */
  hasOthers: boolean;
  ours: Set<string>;
  /** Processes of the installation that are not known to be dead. */
  living: EgressView['living'];
  /** Ours, but only until what is open has ended. */
  leaving: Set<string>;
  /** The notes that were last written of each address. */
  notes: EgressNotes;
  failing: boolean;
  /** Whether it was told that nobody can ask. */
  hasToldProblem: boolean;
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
    living: [],
    ours: new Set(),
    leaving: new Set(),
    notes: { problems: new Map(), figures: new Map() },
    failing: false,
    hasToldProblem: false,
    seen: '',
    listeners: [],
  };
  const loop = repeatLook(keeper);
  await loop.now();
  return {
    addresses: () => usableEgress(viewOf(keeper)),
    isOurs: (name) => isOurs(name, keeper),
    areAllOurs: () => areAllOurs(keeper),
    shared: () => (keeper.hasOthers ? [...keeper.ours].filter((name) => !keeper.leaving.has(name)) : []),
    problem: () => problemOfEgress(viewOf(keeper)),
    unproven: () => unprovenEgress(viewOf(keeper)),
    onChange: (listener) => void keeper.listeners.push(listener),
    look: loop.now,
    async stop() {
      await loop.stop();
      await leaveAll(keeper);
    },
  };
}

function viewOf({ rows, living, mayOwn, wallClock }: Keeper): EgressView {
  return { rows, living, mayOwn, now: wallClock.now() };
}

function isOurs(name: string, { ours, leaving, mayOwn, pacing, engine }: Keeper): boolean {
  if (pacing === 'off') return mayOwn && engine.egress.ids.includes(name);
  return ours.has(name) && !leaving.has(name);
}

function areAllOurs(keeper: Keeper): boolean {
  if (keeper.pacing === 'off' && !keeper.mayOwn) return false;
  if (keeper.pacing === 'on' && keeper.ours.size === 0) return false;
  return usableEgress(viewOf(keeper)).every(({ name }) => isOurs(name, keeper));
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
    // A second look after a take-over: the new owner has not written anything down yet.
    for (wanted = 1; wanted > 0; wanted -= 1) if ((await look(keeper)) === 'took') wanted = 2;
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

/** A process that waits for the end of a lease looks when it comes, and again and again if the owner may be dead. */
function untilNextLook(keeper: Keeper): number {
  if (keeper.failing || isAnyOverdue(keeper)) return lookAgainMs;
  const now = keeper.wallClock.now();
  const ends = awaited(keeper).map((row) => rightEndsAt(row) - now);
  return Math.max(1, Math.min(lookEveryMs, ...ends));
}

function awaited({ rows, mayOwn, engine, registry }: Keeper): EgressAddress[] {
  if (!mayOwn) return [];
  return rows.filter(
    ({ name, kind, owner, leaseUntil }) =>
      kind === 'inside' && owner !== registry.ownId && leaseUntil > 0 && engine.egress.ids.includes(name),
  );
}

/** Whether an owner has not prolonged its lease in time: it may be dead, or cut off from the store. */
function isAnyOverdue(keeper: Keeper): boolean {
  const now = keeper.wallClock.now();
  return keeper.rows.some(
    (row) =>
      row.kind === 'inside' &&
      row.owner !== '' &&
      row.owner !== keeper.registry.ownId &&
      rightEndsAt(row) <= now &&
      now < row.leaseUntil,
  );
}

async function look(keeper: Keeper): Promise<'took' | 'looked' | 'failed'> {
  try {
    keeper.living = await findLiving(keeper);
    keeper.mayOwn = await mayAskMailHosts(keeper);
    keeper.hasOthers = keeper.living.length > 1;
    const found = await exchange(keeper);
    keeper.failing = false;
    takeIn(found, keeper);
    tellProblem(keeper);
    const seen = describe(keeper);
    const isNew = seen !== keeper.seen;
    keeper.seen = seen;
    if (isNew) keeper.listeners.forEach((listener) => listener());
    return found.taken.size > 0 ? 'took' : 'looked';
  } catch (error) {
    if (!keeper.failing) keeper.onProblem('cannot read egress leases; probing is paused', error);
    keeper.failing = true;
    return 'failed';
  }
}

/** Which have died is asked only where it matters, because it is not found as easily as which have signed lately. */
async function findLiving(keeper: Keeper): Promise<Keeper['living']> {
  const { registry } = keeper;
  const living = await registry.findLiving();
  if (!isAnyOverdue(keeper)) return living;
  const dead = new Set(await registry.findDead());
  return living.filter(({ id }) => !dead.has(id));
}

/** Says once that no mail host can be asked, and once that they can be again. */
function tellProblem(keeper: Keeper): void {
  const problem = problemOfEgress(viewOf(keeper));
  if (problem !== undefined && !keeper.hasToldProblem) keeper.onProblem(problem);
  if (problem === undefined && keeper.hasToldProblem) keeper.onRecovery('mail hosts can be asked again');
  keeper.hasToldProblem = problem !== undefined;
}

/** All that others would act upon. */
function describe(keeper: Keeper): string {
  const { rows, leaving } = keeper;
  const usable = new Set(usableEgress(viewOf(keeper)));
  return JSON.stringify([
    rows.map((row) => [row.name, row.owner, row.fence, row.well, usable.has(row)]),
    [...leaving],
    keeper.hasOthers,
  ]);
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
  keeper.notes = written.notes;
  if (written.isNews) store.notify(egressChannel);
  return written;
}

async function prolongAndTake(tx: Tx, keeper: Keeper) {
  const { clock, wallClock, registry } = keeper;
  const askedAt = clock.now();
  const at = { owner: registry.ownId, now: wallClock.now() };
  // First, because what it counts is as old as the moment that is written beside it.
  const { notes, isNews: isNewProblem } = await noteAll(tx, at, keeper);
  const left = await leaveIdle(tx, at, keeper);
  await prolongEgress(tx, at);
  const taken = new Map<string, Predecessor>();
  const rows = await readEgress(tx);
  for (const name of freeOf(rows, keeper)) {
    const from = await takeEgress(tx, name, { ...at, isDead: (owner) => isDead(owner, keeper) });
    if (from !== undefined) taken.set(name, from);
  }
  const isNews = left > 0 || taken.size > 0 || isNewProblem;
  return { rows: taken.size > 0 ? await readEgress(tx) : rows, taken, notes, askedAt, isNews };
}

/** When an address of another process may be free for us; whether it wrote anything down is seen when it is taken. */
function freeFrom(row: EgressAddress, keeper: Keeper): number {
  return isDead(row.owner, keeper) ? rightEndsAt(row) : row.leaseUntil;
}

/** Processes leave the list when they stop, and when they are found dead. */
function isDead(owner: string, { living }: Keeper): boolean {
  return owner !== '' && !living.some(({ id }) => id === owner);
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
    if (from?.kind === 'died')
      keeper.onRecovery(`the owner of the egress address ${name} is gone: this process takes it over`);
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
