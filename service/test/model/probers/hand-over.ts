/**
 * The model of a probe's way from its asker to a prober and back, and of the credit that is settled for it. It has
 * rows in the store, probers, messages that are lost, repeated or late, and askers that die or hang. Leases end at
 * any time, which is more than any clock allows. It shares no code with the service; see docs/probers-model.md.
 */
import type { Model } from '../explore.ts';
import { askerSteps, mostRows, orderSteps } from './hand-over-askers.ts';
import { proberSteps, reportSteps, rowSteps } from './hand-over-probers.ts';
import type { HandOver, HandOverGuard, Holds, Order } from './hand-over-state.ts';

type Size = {
  probers: number;
  orders: readonly Order['kind'][];
  faults: number;
  without?: HandOverGuard | undefined;
};

const workersOfTask = 2;
export function handOverModel({ probers, orders, faults, without }: Size): Model<HandOver> {
  const holds: Holds = (guard) => guard !== without;
  return {
    start: startOf(probers, orders, faults),
    next: (state) => [
      ...state.askers.flatMap((_, who) => askerSteps(state, who, holds)),
      ...state.orders.flatMap((_, at) => orderSteps(state, at, holds)),
      ...state.rows.flatMap((_, at) => rowSteps(state, at, holds)),
      ...state.probers.flatMap((_, who) => proberSteps(state, who, holds)),
      ...state.reports.flatMap((_, at) => reportSteps(state, at, holds)),
    ],
    wrong: ({ broken, orders: all, rows }) => {
      if (broken !== '') return broken;
      if (rows.some(({ taken }) => taken > 1)) return 'evidence was taken twice for one probe';
      if (all.some(({ answered }) => answered > 1)) return 'an address was answered twice';
      if (all.some(({ charged }) => charged > 1)) return 'an address was charged twice';
      if (all.some(({ charged, released }) => charged + released > 1))
        return 'a credit was charged and given back';
      return undefined;
    },
    possible: [
      {
        what: 'a credit stays reserved for ever',
        applies: () => true,
        reached: ({ orders: all }) => all.every(({ hold }) => hold !== 'open'),
      },
      {
        what: 'an address is never answered although somebody can ask and somebody waits',
        applies: (state) => state.orders.some((_, at) => canBeAnswered(state, at)),
        reached: ({ orders: all }) => all.some(({ isTold, isLate }) => isTold && !isLate),
      },
    ],
  };
}

function startOf(probers: number, kinds: readonly Order['kind'][], faults: number): HandOver {
  const orders = kinds.map((kind): Order => ({
    kind,
    hold: 'open',
    answered: 0,
    charged: 0,
    released: 0,
    isTold: false,
    isLate: false,
  }));
  return {
    orders,
    askers: orders.flatMap(({ kind }, order) =>
      Array.from({ length: kind === 'single' ? 1 : workersOfTask }, () => ({
        order,
        life: 'running' as const,
        at: 'idle' as const,
        row: -1,
        isNotified: false,
        ownsTask: kind === 'single',
      })),
    ),
    rows: [],
    probers: Array.from({ length: probers }, () => ({ life: 'running', isEnrolled: true, held: [] })),
    reports: [],
    faultsLeft: faults,
    broken: '',
  };
}

function canBeAnswered({ orders, askers, probers, rows }: HandOver, at: number): boolean {
  const order = orders[at];
  if (order === undefined || order.isTold || order.hold !== 'open') return false;
  const canAsk = probers.some(({ life, isEnrolled }) => life !== 'dead' && isEnrolled);
  const waits = askers.some(
    (asker) =>
      asker.order === at &&
      asker.life !== 'dead' &&
      // A single whose asker has died has no other asker.
      (order.kind === 'task' || asker.at !== 'recorded'),
  );
  return canAsk && waits && rows.filter((row) => row.order === at).length < mostRows;
}
