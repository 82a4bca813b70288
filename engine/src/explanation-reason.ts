import type { MailRoute, RouteFailure } from './dns/mail-route.ts';
import type { NoAnswerReason } from './evidence.ts';
import type { ReplyReason } from './replies/reply-reasons.ts';
import type { SyntaxFault } from './syntax/address.ts';

/**
 * Every reason an explanation may give. The texts for people are in `@mailproof/client`, and a test of the console, which shows
 * them, holds them to this type: a reason without a text, or a text without a reason, does not compile.
 */
export type ExplanationReason =
  VerdictReason | RouteReason | NoAnswerReason | RestReason | ReplyReason | SyntaxFault;

type VerdictReason =
  | 'mailbox_accepted'
  | 'accepts_every_address'
  | 'catch_all_undetermined'
  | 'refused_like_made_up'
  | 'refused_unlike_made_up'
  | 'said_of_made_up_too'
  | 'not_compared'
  | 'contradicts_itself'
  | 'spamtrap_listed'
  | 'disposable_listed'
  | 'operator_denied'
  | 'receiver_opted_out'
  | 'not_asked'
  | 'deadline_reached'
  | 'internal_error';

type RouteReason = Extract<MailRoute, { kind: 'refuses_mail' }>['why'] | `dns_${RouteFailure}`;

/** Why a mail host is left alone; these replace `host_resting` where the cause is known. */
const restReasons = [
  'route_volume_spent',
  'no_route_open',
  'provider_throttles',
  'reputation_doubted',
  'host_defers',
  'host_unreachable',
  'host_silent',
  'provider_refuses_us',
  'provider_bans_us',
  'many_unknown',
] as const;

type RestReason = (typeof restReasons)[number];

/** Whether nobody was asked because a host is left alone: the advice then names the end of that. */
export function isRestReason(reason: string): boolean {
  return restReasons.some((one) => one === reason);
}
