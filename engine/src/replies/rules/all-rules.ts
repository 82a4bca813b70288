/**
 * The themes in the order in which they are asked. The order carries meaning:
 * - patience is the plainest word;
 * - a lookup that failed outranks the words beside it;
 * - quota outranks every code;
 * - a complaint about us outranks the words of the same reply about the recipient ("too many unknown users");
 * - words about the mailbox outrank general words of refusal;
 * - the codes alone come last.
 */
import { clientRules } from './about-the-client.ts';
import { contentRules, messageRules } from './about-the-message.ts';
import { senderRules } from './about-the-sender.ts';
import { defaultRules, mailboxCodeRules } from './defaults.ts';
import { failedLookupRules } from './failed-lookups.ts';
import { greylistingRules, patienceRules } from './greylisting.ts';
import { mailboxDisabledRules } from './mailbox-disabled.ts';
import { mailboxFullRules } from './mailbox-full.ts';
import { mailboxNotExistRules, recipientRefusedRules } from './mailbox-not-exist.ts';
import { plainRefusalRules, policyRules } from './policy.ts';
import { providerDialects } from './provider-dialects.ts';
import { rateRules } from './rate.ts';
import type { Rule } from './rule.ts';
import { serverTroubleRules } from './server-trouble.ts';

export const allRules: readonly Rule[] = [
  ...providerDialects,
  ...greylistingRules,
  ...failedLookupRules,
  ...mailboxFullRules,
  ...clientRules,
  ...senderRules,
  ...rateRules,
  ...messageRules,
  ...policyRules,
  ...patienceRules,
  ...mailboxDisabledRules,
  ...mailboxNotExistRules,
  ...recipientRefusedRules,
  ...contentRules,
  ...mailboxCodeRules,
  ...serverTroubleRules,
  ...plainRefusalRules,
  ...defaultRules,
];
