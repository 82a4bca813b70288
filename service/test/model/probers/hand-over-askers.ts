/** Askers and settlement: the askers and workers of the model in hand-over.ts, and the store's sweep. */
import type { Step } from '../explore.ts';
import { fault, step, type Asker, type HandOver, type Holds } from './hand-over-state.ts';

/** An order is asked for again, a limited number of times: after its first asker died, or its probe was not leased. */
export const mostRows = 2;

/** Asking, taking the evidence, and settling: by the single's own process, or by the worker that has the task. */
export function askerSteps(state: HandOver, who: number, holds: Holds): Step<HandOver>[] {
  const asker = state.askers[who];
  const order = state.orders[asker?.order ?? -1];
  if (asker === undefined || order === undefined || asker.life === 'dead') return [];
  const own = (name: string, change: (copy: HandOver, self: HandOver['askers'][number]) => void) =>
    step(`${name} ${who}`, state, (copy) => {
      const self = copy.askers[who];
      if (self !== undefined) change(copy, self);
    });
  if (asker.life === 'stopped') return [own('asker resumes', (_, self) => void (self.life = 'running'))];
  const steps: Step<HandOver>[] = [];
  const row = state.rows[asker.row];
  if (
    asker.at === 'idle' &&
    asker.ownsTask &&
    order.answered === 0 &&
    !order.isTold &&
    mayAsk(state, asker.order)
  )
    steps.push(own('asks', (copy, self) => ask(copy, self, who)));
  if (
    asker.at === 'asking' &&
    row?.state === 'answered' &&
    (asker.isNotified || holds('an asker looks even where no notice came'))
  )
    steps.push(own('takes the evidence', takeEvidence));
  if (asker.at === 'has_evidence') steps.push(own('records', (copy, self) => record(copy, self, holds)));
  if (
    asker.at === 'recorded' ||
    (asker.at === 'idle' && asker.ownsTask && order.answered > 0 && !order.isTold)
  )
    steps.push(own('settles', (copy, self) => settle(copy, self, holds)));
  if (asker.at === 'asking' && order.kind === 'single' && holds('an asker gives up at its deadline'))
    steps.push(own('reaches its deadline', giveUp));
  return state.faultsLeft === 0 ? steps : [...steps, ...askerFaults(state, who, holds)];
}

function askerFaults(state: HandOver, who: number, holds: Holds): Step<HandOver>[] {
  const befall = (name: string, change: Partial<Asker>): Step<HandOver> =>
    fault(`${name} ${who}`, state, (copy) => void Object.assign(copy.askers[who] ?? {}, change));
  /** The step is done, but its author does not learn of it, and repeats it. */
  const unheard = (name: string, write: typeof record): Step<HandOver> =>
    fault(`${name}, and does not hear of it, ${who}`, state, (copy) => {
      const self = copy.askers[who];
      if (self !== undefined) write(copy, { ...self }, holds);
    });
  const { at, isNotified } = state.askers[who] ?? { at: 'idle', isNotified: false };
  return [
    befall('asker dies', { life: 'dead' }),
    befall('asker stands still', { life: 'stopped' }),
    ...(isNotified ? [befall('notice is lost to', { isNotified: false })] : []),
    ...(at === 'has_evidence' ? [unheard('records', record)] : []),
    ...(at === 'recorded' ? [unheard('settles', settle)] : []),
  ];
}

function mayAsk({ rows }: HandOver, order: number): boolean {
  return rows.filter((row) => row.order === order).length < mostRows;
}

function ask(copy: HandOver, self: HandOver['askers'][number], who: number): void {
  self.row =
    copy.rows.push({ order: self.order, asker: who, state: 'waiting', holder: -1, isOver: true, taken: 0 }) -
    1;
  self.at = 'asking';
  self.isNotified = false;
}

function takeEvidence(copy: HandOver, self: HandOver['askers'][number]): void {
  const row = copy.rows[self.row];
  if (row !== undefined) row.state = 'gone';
  self.at = 'has_evidence';
}

/** Writes the answer: at once with its charge for a single, as an item of its task for a worker. */
function record(copy: HandOver, self: HandOver['askers'][number], holds: Holds): void {
  const order = copy.orders[self.order];
  if (order === undefined) return;
  if (order.kind === 'single') {
    self.at = 'recorded';
    return;
  }
  self.at = 'idle';
  const isItsTask = self.ownsTask || !holds('an answer counts only from who has the task');
  const isFirst = order.answered === 0 || !holds('an answer counts once');
  if (!isItsTask || !isFirst || order.isTold) return;
  if (!self.ownsTask) copy.broken = 'an answer was taken from a worker that had lost the task';
  order.answered += 1;
}

function settle(copy: HandOver, self: HandOver['askers'][number], holds: Holds): void {
  const order = copy.orders[self.order];
  if (order === undefined) return;
  self.at = 'idle';
  self.ownsTask = false;
  if (order.hold !== 'open' && holds('only an open hold is settled')) {
    // Either the credit was released meanwhile, and nothing may be told; or this very settlement was made.
    Object.assign(order, { isTold: true, isLate: order.hold !== 'charged' });
    return;
  }
  if (order.kind === 'single') order.answered += 1;
  Object.assign(order, { hold: 'charged', charged: order.charged + 1, isTold: true });
}

/** Gives up a single that waited long enough. */
function giveUp(copy: HandOver, self: HandOver['askers'][number]): void {
  const order = copy.orders[self.order];
  const row = copy.rows[self.row];
  if (row !== undefined) row.state = 'gone';
  self.at = 'idle';
  self.ownsTask = false;
  if (order === undefined) return;
  if (order.hold === 'open') release(copy, self.order);
  Object.assign(order, { isTold: true, isLate: true });
}

/** The steps of the store's sweep for orders, and how a task changes hands. */
export function orderSteps(state: HandOver, at: number, holds: Holds): Step<HandOver>[] {
  const order = state.orders[at];
  if (order === undefined || order.isTold) return [];
  const steps: Step<HandOver>[] = [];
  const askers = state.askers.flatMap((asker, who) => (asker.order === at ? [{ ...asker, who }] : []));
  const isLeft = askers.every(({ life, ownsTask }) => life !== 'running' || !ownsTask);
  if (order.kind === 'single' && isLeft && order.hold === 'open' && holds('a hold of the dead is released'))
    steps.push(step(`hold of ${at} is released`, state, (copy) => release(copy, at)));
  if (order.kind === 'single') return steps;
  const owner = askers.find(({ ownsTask }) => ownsTask);
  const isFree =
    owner === undefined || (owner.life !== 'running' && holds('a task of the dead is given to another'));
  if (isFree)
    for (const { who, life } of askers)
      if (life === 'running')
        steps.push(
          step(`worker ${who} has task ${at}`, state, (copy) => {
            for (const one of copy.askers) if (one.order === at) one.ownsTask = false;
            const self = copy.askers[who];
            if (self !== undefined) Object.assign(self, { ownsTask: true, at: 'idle' });
          }),
        );
  const isAsked = askers.some(({ life, at: place }) => life === 'running' && place !== 'idle');
  if (order.hold === 'open' && (holds('an asker gives up at its deadline') || isAsked))
    steps.push(step(`task ${at} reaches its deadline`, state, (copy) => endTask(copy, at)));
  return steps;
}

function release(copy: HandOver, at: number): void {
  const order = copy.orders[at];
  if (order !== undefined) Object.assign(order, { hold: 'released', released: order.released + 1 });
}

/** Ends a task: then no worker has it, and unanswered addresses are not charged. */
function endTask(copy: HandOver, at: number): void {
  const order = copy.orders[at];
  if (order === undefined) return;
  for (const one of copy.askers) if (one.order === at) one.ownsTask = false;
  if (order.answered > 0) Object.assign(order, { hold: 'charged', charged: order.charged + 1 });
  else release(copy, at);
  Object.assign(order, { isTold: true, isLate: order.answered === 0 });
}
