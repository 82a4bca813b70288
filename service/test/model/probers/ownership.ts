/**
 * The model of the ownership of an egress address: processes that all want the same one, the row in the store, and
 * requests that take time on the way there and back. Time is counted in small steps. It shares no code with the
 * service; see docs/probers-model.md.
 */
import type { Model, Step } from '../explore.ts';

/** How long a lease lasts in the store, and how long after its request an owner may begin conversations. */
const leaseTicks = 3;
const beginTicks = 2;

type Process = {
  life: 'running' | 'stopped' | 'dead';
  /** How much longer the process believes it may begin conversations; 0 if it owns nothing. */
  mayBegin: number;
  /** Whether its clock has lost a step since its lease was prolonged. */
  isSlow: boolean;
};

/** A process has one request under way at a time, but an abandoned one may still arrive. */
type Request = {
  from: number;
  kind: 'ask' | 'leave';
  /** How long ago it was sent. */
  age: number;
  /** Not yet at the store; or the store's answer on its way back. */
  answer: 'none' | 'yours' | 'not_yours';
};

type Ownership = {
  /** The row: the owner of the address, and the rest of its lease. */
  owner: number;
  left: number;
  processes: Process[];
  requests: Request[];
  faultsLeft: number;
};

/** Guards that keep two processes from using one address. Each may be removed, and then a violation must be found. */
export const ownershipGuards = [
  'takes only what is free',
  'prolongs only its own',
  'leaves only its own',
  'stops beginning before it leaves',
  'counts its time from when it asked',
  'counts its time while it stands still',
  'stops beginning before the lease is over',
  'takes what is free again',
] as const;

type OwnershipGuard = (typeof ownershipGuards)[number];

type Size = { processes: number; faults: number; without?: OwnershipGuard | undefined };

export function ownershipModel({ processes, faults, without }: Size): Model<Ownership> {
  const holds = (guard: OwnershipGuard): boolean => guard !== without;
  const start: Ownership = {
    owner: -1,
    left: 0,
    processes: Array.from({ length: processes }, () => ({ life: 'running', mayBegin: 0, isSlow: false })),
    requests: [],
    faultsLeft: faults,
  };
  return {
    start,
    next: (state) => [
      ...state.processes.flatMap((_, who) => processSteps(state, who, holds)),
      ...state.requests.flatMap((_, at) => requestSteps(state, at, holds)),
      ...tick(state, holds),
    ],
    wrong({ owner, left, processes: all }) {
      const begins = all.flatMap(({ life, mayBegin }, who) =>
        life === 'running' && mayBegin > 0 ? [who] : [],
      );
      if (begins.length > 1) return 'two processes begin conversations from one address';
      return begins.every((who) => who === owner && left > 0)
        ? undefined
        : 'a process begins without the lease';
    },
    possible: [
      {
        what: 'an address that nobody owns is never owned again',
        applies: ({ processes: all }) => all.some(({ life }) => life !== 'dead'),
        reached: ({ processes: all }) => all.some(({ life, mayBegin }) => life === 'running' && mayBegin > 0),
      },
    ],
  };
}

type Holds = (guard: OwnershipGuard) => boolean;

function changed(state: Ownership, change: (copy: Ownership) => void): Ownership {
  const copy = JSON.parse(JSON.stringify(state)) as Ownership;
  change(copy);
  copy.requests.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return copy;
}

/** The actions of a process, and its failures. */
function processSteps(state: Ownership, who: number, holds: Holds): Step<Ownership>[] {
  const { life, mayBegin, isSlow } = state.processes[who] ?? nobody;
  const step = (name: string, change: (copy: Ownership, self: Process) => void): Step<Ownership> => ({
    name: `${name} ${who}`,
    state: changed(state, (copy) => {
      const self = copy.processes[who];
      if (self !== undefined) change(copy, self);
    }),
  });
  const fault = (name: string, change: (copy: Ownership, self: Process) => void): Step<Ownership> => ({
    ...step(name, (copy, self) => {
      copy.faultsLeft -= 1;
      change(copy, self);
    }),
    fault: true,
  });
  const steps: Step<Ownership>[] = [];
  if (life === 'stopped') steps.push(step('resume', (_, self) => void (self.life = 'running')));
  if (life === 'running' && !state.requests.some(({ from }) => from === who))
    steps.push(
      step('ask', (copy) => void copy.requests.push({ from: who, kind: 'ask', age: 0, answer: 'none' })),
      step('leave', (copy, self) => {
        copy.requests.push({ from: who, kind: 'leave', age: 0, answer: 'none' });
        if (holds('stops beginning before it leaves')) self.mayBegin = 0;
      }),
    );
  if (state.faultsLeft === 0 || life === 'dead') return steps;
  steps.push(fault('kill', (_, self) => Object.assign(self, { life: 'dead', mayBegin: 0, isSlow: false })));
  if (life === 'running') steps.push(fault('stop', (_, self) => void (self.life = 'stopped')));
  if (life === 'running' && mayBegin > 0 && !isSlow)
    steps.push(
      fault('clock lags', (_, self) => {
        self.mayBegin += 1;
        self.isSlow = true;
      }),
    );
  return steps;
}

const nobody: Process = { life: 'dead', mayBegin: 0, isSlow: false };

function requestSteps(state: Ownership, at: number, holds: Holds): Step<Ownership>[] {
  const request = state.requests[at];
  if (request === undefined) return [];
  const { from, kind, answer, age } = request;
  const steps: Step<Ownership>[] = [];
  if (answer === 'none')
    steps.push({
      name: `store does ${kind} ${from}`,
      state: changed(state, (copy) => {
        const own = copy.requests[at];
        if (own !== undefined) own.answer = carryOut(copy, { from, kind }, holds);
      }),
    });
  else
    steps.push({
      name: `answer to ${from}`,
      state: changed(state, (copy) => {
        copy.requests.splice(at, 1);
        const self = copy.processes[from];
        if (self === undefined || self.life !== 'running' || kind === 'leave') return;
        const waited = holds('counts its time from when it asked') ? age : 0;
        const most = holds('stops beginning before the lease is over') ? beginTicks : leaseTicks;
        self.mayBegin = answer === 'yours' ? Math.max(0, most - waited) : 0;
        self.isSlow = false;
      }),
    });
  if (state.faultsLeft > 0)
    steps.push({
      name: `lost: ${kind} ${from}`,
      fault: true,
      state: changed(state, (copy) => {
        copy.faultsLeft -= 1;
        copy.requests.splice(at, 1);
      }),
    });
  return steps;
}

/** Runs one transaction on the row. */
function carryOut(
  row: Ownership,
  { from, kind }: Pick<Request, 'from' | 'kind'>,
  holds: Holds,
): Request['answer'] {
  if (kind === 'leave') {
    if (row.owner === from || !holds('leaves only its own')) Object.assign(row, { owner: -1, left: 0 });
    return 'not_yours';
  }
  const isFree = row.left === 0 && holds('takes what is free again');
  const mayTake = isFree || row.owner === -1 || !holds('takes only what is free');
  if (row.owner === from || mayTake) Object.assign(row, { owner: from, left: leaseTicks });
  else if (!holds('prolongs only its own')) row.left = leaseTicks;
  return row.owner === from || !holds('prolongs only its own') ? 'yours' : 'not_yours';
}

/** A request that took longer than any lease is worthless, however late it arrives. */
const oldest = leaseTicks + 1;

function tick(state: Ownership, holds: Holds): Step<Ownership>[] {
  const later = changed(state, (copy) => {
    copy.left = Math.max(0, copy.left - 1);
    for (const request of copy.requests) request.age = Math.min(oldest, request.age + 1);
    for (const self of copy.processes)
      if (self.life !== 'stopped' || holds('counts its time while it stands still'))
        self.mayBegin = Math.max(0, self.mayBegin - 1);
  });
  return [{ name: 'tick', state: later }];
}
