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
};

export type ListLookup = {
  find(address: Address): ListFindings;
  /** Whether one of a domain's mail hosts belongs to a disposable service (the operator's allow list applies to the address). */
  isDisposableMailHost(mailHost: string, address: Address): boolean;
  /** Whether a mail host belongs to a service that parks domains. */
  isParkedMailHost(mailHost: string): boolean;
};

export type Lists = ListLookup & {
  /** The same by the entries for domains alone: findings are equal for every mailbox of a domain, roles aside. */
  byDomain: ListLookup;
  close(): void;
};
