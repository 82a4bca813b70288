import type { Address } from '../syntax/address.ts';

/** What the lists know of an address before anybody is asked. */
export type ListFindings = {
  disposable: boolean;
  role: boolean;
  free: boolean;
  spamtrap: boolean;
  /** The operator asked that this address or domain is never verified: no packet may go out. */
  denied: boolean;
  /** The large provider that the domain is one slip away from, unless it is well known itself. */
  nearProvider?: string;
  /** The domain's mail goes to a service that parks names nobody uses. Known once DNS has told where it goes. */
  parked?: true;
  /** The owner of the domain or of one of its mail hosts asked not to be asked. Known once DNS has told where mail goes. */
  optedOut?: true;
  /** The domain belongs to a privacy relay, which forwards mail to a mailbox that its owner keeps to himself. */
  relay?: true;
  /** A role that nobody should write to in bulk: `abuse`, `noreply`, `everyone`. It is a `role` as well. */
  notForBulk?: true;
  /** The local part was made by a program for one message: BATV, SRS, VERP, `bounce+…`. */
  machine?: true;
};

export type ListLookup = {
  find(address: Address): ListFindings;
  /** Whether one of a domain's mail hosts belongs to a disposable service (the operator's allow list applies to the address). */
  isDisposableMailHost(mailHost: string, address: Address): boolean;
  /** Whether a mail host belongs to a service that parks domains. */
  isParkedMailHost(mailHost: string): boolean;
  /** Whether the owner of a domain, or of a parent of it, asked that its mail hosts are not asked. */
  hasOptedOut(host: string): boolean;
};

export type Lists = ListLookup & {
  /** The same by the entries for domains alone: findings are equal for every mailbox of a domain, roles aside. */
  byDomain: ListLookup;
  close(): void;
};
