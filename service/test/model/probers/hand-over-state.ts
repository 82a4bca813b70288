/** What the model of handing over knows (see hand-over.ts), and how one state is made from another. */
import type { Step } from '../explore.ts';

/** A row of `probe`. Fences only ever grow, so all that matters of one is whether it is still the row's. */
type Row = {
  order: number;
  /** Who waits for it: the asker itself, or the worker that had the task. */
  asker: number;
  state: 'waiting' | 'leased' | 'answered' | 'gone';
  holder: number;
  isOver: boolean;
  /** How often evidence was taken for it. */
  taken: number;
};

type Held = { row: number; isCurrent: boolean; hasEvidence: boolean };

export type Prober = { life: 'running' | 'stopped' | 'dead'; isEnrolled: boolean; held: Held[] };

export type Report = { from: number; row: number; isCurrent: boolean };

export type Asker = {
  life: 'running' | 'stopped' | 'dead';
  /** Where it is with its order: its row, or the evidence from it, or nothing to do (any more). */
  at: 'idle' | 'asking' | 'has_evidence' | 'recorded';
  row: number;
  isNotified: boolean;
  /** Of a worker: whether the task is still its own. */
  ownsTask: boolean;
};

/** What somebody is owed: a verdict and a charge, or neither. */
export type Order = {
  kind: 'single' | 'task';
  hold: 'open' | 'charged' | 'released';
  answered: number;
  charged: number;
  released: number;
  isTold: boolean;
  isLate: boolean;
};

export type HandOver = {
  orders: Order[];
  /** One for each single; for a task, every worker that may have it. */
  askers: (Asker & { order: number })[];
  rows: Row[];
  probers: Prober[];
  reports: Report[];
  faultsLeft: number;
  /** A promise that was broken on the way here. */
  broken: string;
};

/** What keeps evidence, answers and charges single and ours; each may be taken away, and must then be missed. */
export const handOverGuards = [
  'a report counts only while the row is leased',
  'a report counts only from the holder',
  'a report counts only under its fence',
  'a report counts only from a prober that is enrolled',
  'a prober that was removed leases nothing',
  'what is answered is leased to nobody',
  'a lease that is over is given to another',
  'an asker looks even where no notice came',
  'an asker gives up at its deadline',
  'only an open hold is settled',
  'a hold of the dead is released',
  'an answer counts only from who has the task',
  'an answer counts once',
  'a task of the dead is given to another',
] as const;

export type HandOverGuard = (typeof handOverGuards)[number];

export type Holds = (guard: HandOverGuard) => boolean;

type Change = (copy: HandOver) => void;

/** The same with something changed; what can make no difference any more is left out, so that states stay few. */
function changed(state: HandOver, change: Change): HandOver {
  const copy = JSON.parse(JSON.stringify(state)) as HandOver;
  change(copy);
  const isGone = (row: number): boolean => copy.rows[row]?.state === 'gone';
  copy.reports.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  for (const prober of copy.probers)
    prober.held = prober.life === 'dead' ? [] : prober.held.filter(({ row }) => !isGone(row));
  return copy;
}

export const step = (name: string, state: HandOver, change: Change): Step<HandOver> => ({
  name,
  state: changed(state, change),
});

export const fault = (name: string, state: HandOver, change: Change): Step<HandOver> => ({
  name,
  fault: true,
  state: changed(state, (copy) => {
    copy.faultsLeft -= 1;
    change(copy);
  }),
});
