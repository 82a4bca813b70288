import type { MailTarget } from '../dns/mail-route.ts';
import type { HostPolicy } from '../politeness/policy.ts';

/** A mail host at one address, with the policy that holds for it. */
export type Destination = { target: MailTarget; policy: HostPolicy };
