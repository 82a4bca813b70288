import { networkOf } from '../net/network-of.ts';

/**
 * Replies that say one of our addresses is on a block list, of the last hour. A host may say so of anybody, so words
 * alone close nothing: a few of them from several networks make us look the lists up, and the lists decide. Only of
 * lists that cannot be looked up do words count, and then it takes many hosts, many networks and several accounts.
 */
export type Accusation = {
  at: number;
  /** The mail host's IP address. */
  host: string;
  account: string;
  /** The list of ours that the reply names, if it names one. */
  list: string | undefined;
};

type Crowd = { hosts: number; networks: number };

const mostKept = 500;

/** One accusation for each host: the latest. */
export function addAccusation(
  known: readonly Accusation[],
  accusation: Accusation,
  windowMs: number,
): Accusation[] {
  const since = accusation.at - windowMs;
  const others = known.filter(({ at, host }) => at > since && host !== accusation.host);
  return [...others, accusation].slice(-mostKept);
}

export function isCrowd(accusations: readonly Accusation[], least: Crowd): boolean {
  if (accusations.length < least.hosts) return false;
  return new Set(accusations.map(({ host }) => networkOf(host))).size >= least.networks;
}

/** Whether the accusations met more than one account; none of them can have arranged that alone. */
export function areOfSeveralAccounts(accusations: readonly Accusation[]): boolean {
  const [first] = accusations;
  return accusations.some(({ account }) => account !== first?.account);
}
