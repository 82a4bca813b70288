import type { ListRecord } from '@mailproof/client';
import { counted, grouped } from '../../parts/format.ts';

/** Returns the result of a list in a sentence: the number of addresses that can be mailed. */
export function headlineOf(list: ListRecord): string {
  const { wanted, checked, state, by_status: counts } = list;
  const sendable = sum(counts, groups.sendable);
  const of = state === 'completed' ? wanted : checked;
  if (of === 0) return state === 'completed' ? 'There was nothing to check' : 'Nothing was checked';
  const checkedSoFar = state === 'completed' ? '' : ' checked';
  if (sendable === 0)
    return of === 1
      ? `The one${checkedSoFar} address is not safe to send`
      : `None of the ${grouped(of)}${checkedSoFar} addresses is safe to send`;
  return `${grouped(sendable)} of ${grouped(of)}${checkedSoFar} can be mailed: ${partsOf(counts, groups.sendable)}`;
}

/** Returns sentences about the other addresses. */
export function othersOf({ by_status: counts }: ListRecord): string[] {
  return [
    sentence(counts, groups.risky, ['is risky', 'are risky']),
    sentence(counts, groups.undeliverable, ['should not be mailed', 'should not be mailed']),
  ].flat();
}

/** The groups of the downloads. */
const groups = {
  sendable: ['safe', 'role_account'],
  risky: ['catch_all', 'inbox_full', 'unknown'],
  undeliverable: ['invalid', 'disabled', 'disposable', 'spamtrap'],
} as const;

/** Words for a number of addresses of a status. */
const words: Record<(typeof groups)[keyof typeof groups][number], (count: number) => string> = {
  safe: (count) => `${grouped(count)} safe`,
  role_account: (count) => counted(count, 'role account'),
  catch_all: (count) => `${grouped(count)} at ${count === 1 ? 'a catch-all domain' : 'catch-all domains'}`,
  inbox_full: (count) => `${grouped(count)} with a full inbox`,
  unknown: (count) => `${grouped(count)} unknown`,
  invalid: (count) => `${grouped(count)} invalid`,
  disabled: (count) => `${grouped(count)} disabled`,
  disposable: (count) => `${grouped(count)} disposable`,
  spamtrap: (count) => counted(count, 'spam trap'),
};

type Counts = ListRecord['by_status'];
type Statuses = (typeof groups)[keyof typeof groups];

function sum(counts: Counts, statuses: Statuses): number {
  return statuses.reduce((total, status) => total + (counts[status] ?? 0), 0);
}

function partsOf(counts: Counts, statuses: Statuses): string {
  return statuses
    .flatMap((status) => {
      const count = counts[status] ?? 0;
      return count === 0 ? [] : [words[status](count)];
    })
    .join(', ');
}

function sentence(counts: Counts, statuses: Statuses, [one, many]: [string, string]): string[] {
  const total = sum(counts, statuses);
  return total === 0 ? [] : [`${counted(total, one, many)}: ${partsOf(counts, statuses)}.`];
}
