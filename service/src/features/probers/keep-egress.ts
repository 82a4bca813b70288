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
 * One process's part in the ownership of egress addresses. It polls every two seconds, at each notice, and when a lease
 * ends. It renews its own leases, takes free addresses if it may, and tells the engine from which addresses
 * conversations may begin, and until when. A process that cannot reach the store, or stood still, begins nothing after
 * that time: another may have taken over.
 *
 * The roles that may own addresses are in who-may-ask.ts. A process that loses the right finishes its open
 * conversations and leaves its addresses. If no process can ask, one log line says so, and another when one can again.
 */
export type EgressKeeper = {
  /** Returns the addresses as last read that have an owner now, or are about to get one. */
  addresses(): readonly EgressAddress[];
  /** Tells whether this process owns the address, so that probes for it are a function call. */
  isOurs(name: string): boolean;
  /** Tells whether all owned addresses are ours. */
  areAllOurs(): boolean;
  /** Returns the addresses for which others may hand us probes; empty while there are no others. */
  shared(): string[];
  /** Returns why no process can ask mail hosts now; `undefined` if one can. */
  problem(): string | undefined;
  /**
   * Returns addresses that ask no public mail host, because their HELO names are not proven; empty while another can
   * ask.
   */
  unproven(): string[];
  /** Calls the listener when an owner may have changed, or an address can no longer ask. */
  onChange(listener: () => void): void;
  /** Polls once more now. */
  look(): Promise<void>;
  /** Leaves all our addresses to the next owner. Call it when no probe is open any more. */
  stop(): Promise<void>;
};

type EgressKeeperParts = {
  store: Pick<Store, 'read' | 'write' | 'notify' | 'listen'>;
  clock: Clock;
  wallClock: WallClock;
  registry: Pick<ProcessRegistry, 'ownId' | 'findLiving' | 'findDead'>;
  role: ProcessRole;
  engine: Pick<Engine, 'egress'>;
  /** Tells whether the installation ever had a prober. */
  hadProber: () => Promise<boolean>;
  /** `off`: nothing is counted, so a process uses its own addresses even if others own them. */
  pacing: 'on' | 'off';
  onProblem: (message: string, error?: unknown) => void;
  /** Called when a problem is over, or an address was taken over from a dead process. */
  onRecovery: (message: string) => void;
};

const lookEveryMs = 2_000;
const lookAgainMs = 500;

type Keeper = EgressKeeperParts & {
  rows: EgressAddress[];
  mayOwn: boolean;
  /** Whether another process of the installation lives, which may hand us probes. */
  hasOthers: boolean;
  ours: Set<string>;
  /** Processes of the installation that are not known to be dead. */
  living: EgressView['living'];
  /** Ours, but only until their open conversations have ended. */
  leaving: Set<string>;
  /** Notes last written for each address. */
  notes: EgressNotes;
  failing: boolean;
  /** Whether the log already says that no process can ask. */
  hasToldProblem: boolean;
  /** State that the listeners last got. */
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

/** Repeats the poll, never two at once; a notice during one causes another. */
function repeatLook(keeper: Keeper) {
  const { clock } = keeper;
  let cancel: () => void = () => undefined;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** Polls outstanding: the running one, plus at most one queued. */
  let wanted = 0;

  async function run(): Promise<void> {
    cancel();
    // Polls again after a take-over: the new owner has not written its notes yet.
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

/**
 * Returns the time until the next poll. A process that waits for a lease polls when it ends, and repeatedly if the
 * owner may be dead.
 */
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

/** Tells whether an owner has not renewed its lease in time: it may be dead, or cut off from the store. */
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

/**
 * Finds the living processes. Deaths are asked for only when they matter, since finding them costs more than reading
 * recent signs of life.
 */
async function findLiving(keeper: Keeper): Promise<Keeper['living']> {
  const { registry } = keeper;
  const living = await registry.findLiving();
  if (!isAnyOverdue(keeper)) return living;
  const dead = new Set(await registry.findDead());
  return living.filter(({ id }) => !dead.has(id));
}

/** Logs once that no mail host can be asked, and once that they can be again. */
function tellProblem(keeper: Keeper): void {
  const problem = problemOfEgress(viewOf(keeper));
  if (problem !== undefined && !keeper.hasToldProblem) keeper.onProblem(problem);
  if (problem === undefined && keeper.hasToldProblem) keeper.onRecovery('mail hosts can be asked again');
  keeper.hasToldProblem = problem !== undefined;
}

/** Returns everything on which other parts act. */
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
  /** Time before the renewal, on the engine's clock. */
  askedAt: number;
};

/** Exchanges leases with the store. A process that owns nothing and finds nothing to take only reads. */
async function exchange(keeper: Keeper): Promise<Exchanged> {
  const { store, clock, registry } = keeper;
  const askedAt = clock.now();
  const rows = keeper.ours.size > 0 ? undefined : await readEgress(store.read);
  const isIdle = rows?.every(({ owner }) => owner !== registry.ownId) === true;
  if (rows !== undefined && isIdle && freeOf(rows, keeper).length === 0)
    return { rows, taken: new Map(), askedAt };
  // With its own serial key: writes of others that wait for a locked table do not delay it.
  const written = await store.write((tx) => prolongAndTake(tx, keeper), `egress:${registry.ownId}`);
  keeper.notes = written.notes;
  if (written.isNews) store.notify(egressChannel);
  return written;
}

async function prolongAndTake(tx: Tx, keeper: Keeper) {
  const { clock, wallClock, registry } = keeper;
  const askedAt = clock.now();
  const at = { owner: registry.ownId, now: wallClock.now() };
  // First, because its counts are as old as the time that is written beside them.
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

/** Returns when an address of another process may become free; its hand-over is read when it is taken. */
function freeFrom(row: EgressAddress, keeper: Keeper): number {
  return isDead(row.owner, keeper) ? rightEndsAt(row) : row.leaseUntil;
}

/** Tells whether an owner is dead. Processes leave the list when they stop or are found dead. */
function isDead(owner: string, { living }: Keeper): boolean {
  return owner !== '' && !living.some(({ id }) => id === owner);
}

/** Returns the free addresses that we could own. */
function freeOf(rows: EgressAddress[], keeper: Keeper): string[] {
  const { mayOwn, engine, wallClock } = keeper;
  if (!mayOwn) return [];
  const now = wallClock.now();
  return engine.egress.ids.filter((id) => {
    const row = rows.find(({ name }) => name === id);
    return row === undefined || (row.kind === 'inside' && freeFrom(row, keeper) <= now);
  });
}

/** Leaves addresses without open conversations to the next owner. */
async function leaveIdle(tx: Tx, at: { owner: string; now: number }, keeper: Keeper): Promise<number> {
  const { leaving, engine } = keeper;
  const idle = [...leaving].filter((name) => engine.egress.conversations(name) === 0);
  for (const name of idle)
    await leaveEgress(tx, { ...fenced(name, keeper), handOver: engine.egress.handOver(name) }, at);
  return idle.length;
}

/** Tells the engine which addresses it now owns. */
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
    // Taken by a statement whose answer was lost: the predecessor is unknown.
    const from = taken.get(name) ?? (before.has(name) ? undefined : ({ kind: 'died', agoMs: 0 } as const));
    if (from === undefined) engine.egress.allowUntil(name, askedAt + beginMs);
    else engine.egress.takeOver(name, from, askedAt + beginMs);
    if (from?.kind === 'died')
      keeper.onRecovery(`the owner of the egress address ${name} is gone: this process takes it over`);
  }
}

/** Returns the fence under which an address was last seen as ours. */
function fenced(name: string, { rows }: Keeper): { name: string; fence: number } {
  return { name, fence: rows.find((row) => row.name === name)?.fence ?? 0 };
}

/** Leaves all addresses. If that fails, their leases expire. */
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
    onProblem('cannot leave egress addresses to the next owner, which must wait for their leases', error);
  }
}
