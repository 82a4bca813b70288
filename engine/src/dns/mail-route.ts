import type { CanonicalHost } from '../syntax/address.ts';
import type { LookupFailure } from './lookup.ts';

/** A mail host with its IPv4 addresses, or its IPv6 addresses where it has no others, not yet judged by the egress guard. */
export type MailHost = { name: CanonicalHost; addresses: string[] };

/** One place to dial: a mail host's name and one of its addresses. */
export type MailTarget = { host: CanonicalHost; address: string };

/** Where a domain's mail goes, or why it goes nowhere, or why we cannot tell. */
export type MailRoute =
  | {
      kind: 'takes_mail';
      /** True where the domain has no MX and its own address serves (RFC 5321 section 5.1). */
      implicit: boolean;
      /** Every usable mail host name in order of preference, lower case, no trailing dot. */
      mxRecords: CanonicalHost[];
      /** How many of these have the best preference; the others are backups. */
      preferred: number;
      /** The first host in that order whose name resolves. */
      first: MailHost;
      /** The names after it, resolved only when the first cannot be reached. */
      further: CanonicalHost[];
    }
  | { kind: 'refuses_mail'; why: RouteRefusal }
  | { kind: 'undetermined'; failure: RouteFailure };

/** Why a domain takes no mail; `mail_host_leads_nowhere`: every address is one such as 127.0.0.1 or 0.0.0.0. */
type RouteRefusal =
  'no_such_domain' | 'null_mx' | 'no_mail_host' | 'no_mail_host_resolves' | 'mail_host_leads_nowhere';

/**
 * Why we cannot tell: a lookup failed, or the resolver says "no mail here" and denies names that are known to exist, or
 * has not proved since that it finds any.
 */
export type RouteFailure = LookupFailure | 'denies_known_names' | 'denial_unproved';
