import type { Address } from '../syntax/address.ts';

/** What the lists know of an address before anybody is asked. */
export type ListFindings = {
  disposable: boolean;
  role: boolean;
  free: boolean;
  spamtrap: boolean;
  /** The operator asked that this address or domain is never verified: no packet may go out. */
  denied: boolean;
};

export type Lists = {
  find(address: Address): ListFindings;
  /** Whether one of a domain's mail hosts belongs to a disposable service (the operator's allow list applies to the address). */
  isDisposableMailHost(mailHost: string, address: Address): boolean;
  close(): void;
};
