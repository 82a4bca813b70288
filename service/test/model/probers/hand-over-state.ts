/** The state of the hand-over model (see hand-over.ts), and the steps between states. */
import type { Step } from '../explore.ts';

/** A row of `probe`. Fences only grow, so it only matters whether a fence is still the row's. */
type Row = {
  order: number;
  /** The asker that waits for it: the single's own process, or the worker that had the task. */
  asker: number;
  state: 'waiting' | 'leased' | 'answered' | 'gone';
  holder: number;
  isOver: boolean;
  /** How often evidence was accepted for it. */
  taken: number;
};

type Held = { row: number; isCurrent: boolean; hasEvidence: boolean };

export type Prober = { life: 'running' | 'stopped' | 'dead'; isEnrolled: boolean; held: Held[] };

export type Report = { from: number; row: number; isCurrent: boolean };

export type Asker = {
  life: 'running' | 'stopped' | 'dead';
  /** The asker's position with its order: its row, the evidence from it, or nothing (more) to do. */
  at: 'idle' | 'asking' | 'has_evidence' | 'recorded';
  row: number;
  isNotified: boolean;
  /** For a worker: whether the task is still its own. */
  ownsTask: boolean;
};

/** A verdict and a charge that a caller is owed, or neither. */
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

/**
 * Guards that keep evidence, answers and charges unique and genuine. Each may be removed, and then a violation must
 * be found.
 */
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

/** Returns a changed copy; details that no longer matter are left out, so that states stay few. */
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
