/** The faults of the drill as data: the event, its length, its end, and the places that must report it. */
import type { Installation, SingleInstallation, SplitInstallation } from './installation.ts';
import { isDown, noAnswer, type ExpectedSigns } from './signs.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** A fault, and the kind of installation that it happens to. */
export type FaultOf<Kind extends Installation> = {
  on: Kind['kind'];
  name: string;
  title: string;
  /** How long it lasts; of a kill: until the supervisor starts the process again. */
  seconds: { full: number; quick: number };
  /** The moment from which the return of answers counts: a process that is killed has another or a supervisor. */
  countsFrom: 'begin' | 'end';
  signs(installation: Kind): ExpectedSigns;
  /** Why it cannot be brought about on this machine, if so. */
  leftOut?(installation: Kind): string | undefined;
  /** Brings it about; the answer ends it. */
  begin(installation: Kind): Promise<() => Promise<void> | void>;
};

export type Fault = FaultOf<SplitInstallation> | FaultOf<SingleInstallation>;

type SplitProcess = keyof SplitInstallation['processes'];

async function kill(
  names: readonly SplitProcess[],
  { processes }: SplitInstallation,
): Promise<() => Promise<void>> {
  await Promise.all(names.map((name) => processes[name].kill()));
  return async () => {
    await Promise.all(names.map((name) => processes[name].start()));
  };
}

function standBy({ owner }: SplitInstallation): SplitProcess {
  return owner() === 'prober-1' ? 'prober-2' : 'prober-1';
}

const diskFull = { fault: 'full', readyz: /the disk (?:of \S+ )?is full/ };

function withoutDisk({ disk }: Installation): string | undefined {
  return disk.kind === 'refused' ? disk.why : undefined;
}

function fillDisk({ disk }: Installation): Promise<() => void> {
  if (disk.kind === 'refused') throw new Error(disk.why);
  disk.disk.fill();
  return Promise.resolve(() => disk.disk.makeRoom());
}

const deadProcess = (role: string) => new RegExp(`\\(serve --role ${role}\\) ended without stopping`);

const faultsOfSplit: readonly Omit<FaultOf<SplitInstallation>, 'on'>[] = [
  {
    name: 'api-killed',
    title: 'the API is killed, and started again a second later',
    seconds: { full: 1, quick: 1 },
    countsFrom: 'begin',
    signs: ({ processes: { api } }) => ({
      readyz: noAnswer,
      metric: { of: api, says: isDown },
      log: deadProcess('api'),
    }),
    begin: (installation) => kill(['api'], installation),
  },
  {
    name: 'worker-killed',
    title: 'the only worker is killed',
    seconds: { full: 20, quick: 14 },
    countsFrom: 'begin',
    signs: ({ processes: { api } }) => ({
      readyz: /no worker is running/,
      metric: { of: api, says: /^mailproof_workers 0$/ },
      log: /no worker is running/,
    }),
    begin: (installation) => kill(['worker'], installation),
  },
  {
    name: 'prober-killed',
    title: 'the prober that owns the egress address is killed, with another beside it',
    seconds: { full: 15, quick: 12 },
    countsFrom: 'begin',
    signs: ({ processes, owner }) => ({
      metric: { of: processes[owner()], says: isDown },
      log: /the owner of the egress address \S+ is gone: this process takes it over/,
    }),
    begin: (installation) => kill([installation.owner()], installation),
  },
  {
    name: 'stand-by-killed',
    title: 'the prober that stands by is killed',
    seconds: { full: 10, quick: 8 },
    countsFrom: 'begin',
    signs: (installation) => ({
      metric: { of: installation.processes[standBy(installation)], says: isDown },
      log: deadProcess('prober'),
    }),
    begin: (installation) => kill([standBy(installation)], installation),
  },
  {
    name: 'probers-gone',
    title: 'both probers are killed',
    seconds: { full: 25, quick: 12 },
    countsFrom: 'end',
    signs: ({ processes: { api } }) => ({
      readyz: /no prober/,
      metric: { of: api, says: /^mailproof_egress_available 0$/ },
      log: /no prober: no process that may ask mail hosts runs/,
    }),
    begin: (installation) => kill(['prober-1', 'prober-2'], installation),
  },
  {
    name: 'database-stopped',
    title: 'the database is stopped',
    seconds: { full: 60, quick: 10 },
    countsFrom: 'end',
    signs: ({ processes: { api } }) => storeFault(api, { fault: 'unreachable', readyz: /cannot be reached/ }),
    begin: async ({ postgres }) => {
      await postgres.halt('immediate');
      return () => postgres.resume();
    },
  },
  {
    name: 'database-hangs',
    title: 'the database stops answering, with every connection open',
    seconds: { full: 30, quick: 8 },
    countsFrom: 'end',
    signs: ({ processes: { api } }) => ({
      readyz: /the store is unavailable/,
      metric: { of: api, says: /^mailproof_store_available 0$/ },
      log: /The database does not serve/,
    }),
    begin: ({ postgres }) => Promise.resolve(postgres.freeze()),
  },
  {
    name: 'disk-full',
    title: 'the disk of the database is full',
    seconds: { full: 15, quick: 6 },
    countsFrom: 'end',
    signs: ({ processes: { api } }) => storeFault(api, diskFull),
    leftOut: withoutDisk,
    begin: fillDisk,
  },
  {
    name: 'table-locked',
    title: 'somebody locks the table of accounts',
    seconds: { full: 15, quick: 6 },
    countsFrom: 'end',
    signs: ({ processes: { api } }) =>
      storeFault(api, { fault: 'busy', readyz: /the table account is locked/ }),
    begin: ({ postgres }) => postgres.lockTable('account'),
  },
  {
    name: 'resolver-turns',
    title: 'the resolver denies every name',
    seconds: { full: 15, quick: 6 },
    countsFrom: 'end',
    signs: ({ processes: { api } }) => ({
      readyz: /the resolver denies/,
      metric: { of: api, says: /^mailproof_resolver_in_order 0$/ },
      log: /the resolver denies/,
    }),
    begin: ({ world }) => {
      world.turnResolver('no_such_name');
      return Promise.resolve(() => world.turnResolver('truthful'));
    },
  },
];

const faultsOfSingle: readonly Omit<FaultOf<SingleInstallation>, 'on'>[] = [
  {
    name: 'sqlite-disk-full',
    title: 'the disk of a single process on SQLite is full',
    seconds: { full: 15, quick: 8 },
    countsFrom: 'end',
    signs: ({ processes: { service } }) => storeFault(service, diskFull),
    leftOut: withoutDisk,
    begin: fillDisk,
  },
];

export const faults: readonly Fault[] = [
  ...faultsOfSplit.map((fault) => ({ ...fault, on: 'split' as const })),
  ...faultsOfSingle.map((fault) => ({ ...fault, on: 'single' as const })),
];

function storeFault(
  process: SupervisedProcess,
  { fault, readyz }: { fault: string; readyz: RegExp },
): ExpectedSigns {
  return {
    readyz,
    metric: { of: process, says: new RegExp(`^mailproof_store_fault\\{fault="${fault}"\\} 1$`) },
    log: new RegExp(`\\(store_${fault}\\)$`),
  };
}
