import type { ProviderId } from '../engine/src/replies/providers.ts';

/**
 * What each provider publishes that bears on asking for a mailbox without sending a message, as far as it is known to
 * us, in our words. For `docs/providers.md`, so that an operator can decide whether to ask there at all.
 */
const silent = 'No public page that speaks of it is known to us.';

export const publishedPolicies: Readonly<Record<ProviderId, string>> = {
  google:
    'Its guidelines for senders ask for authentication, reverse DNS and a low rate of complaints; they do not speak of it.',
  outlook:
    'Its page of refusals for senders names "namespace mining" as a reason to refuse an address: finding out which mailboxes exist.',
  microsoft:
    'Documents that recipients unknown to a tenant are refused at the edge where the tenant has that on, and that unfamiliar senders are slowed down.',
  yahoo:
    'Its pages for senders tell to take unknown recipients off the list and that an address with too many of them is slowed down or refused.',
  apple:
    'Its page for postmasters tells to take refused addresses off the list; it does not speak of asking without sending.',
  mailru:
    'Its rules for senders want few recipients that do not exist; they do not speak of asking without sending.',
  yandex: 'Its rules for senders want few recipients that do not exist.',
  mimecast:
    'Documents greylisting, and that the customer decides whether unknown recipients are refused at RCPT.',
  proofpoint: 'Documents protection from directory harvesting: addresses with many unknown recipients.',
  barracuda: 'Documents protection from directory harvesting, and greylisting.',
  spamexperts: 'Documents that it asks the host behind it whether a recipient exists.',
  ironport:
    'Documents a limit of invalid recipients an hour for each sender (directory harvest attack prevention).',
  messagelabs: 'Documents that unknown recipients are refused where the customer registers its addresses.',
  sophos: silent,
  godaddy: 'Its list of bounce codes names too many invalid recipients as a reason to refuse an address.',
  rackspace: silent,
  hornetsecurity: silent,
  trendmicro: 'Documents protection from directory harvesting.',
  forcepoint: 'Documents protection from directory harvesting.',
  gmx: 'Its pages for postmasters ask for reverse DNS and a clean list; they do not speak of it.',
  comcast: 'Its pages for postmasters list limits on connections and recipients.',
  orange: 'Its replies name limits on connections.',
  laposte: silent,
  free: silent,
  qq: 'Its replies name limits on how often an address may ask.',
  netease: 'Its list of replies names limits on connections, recipients and unknown recipients.',
  hanmail: silent,
  naver: silent,
  zoho: silent,
  tonline:
    'Its pages for postmasters ask that an address that wants to deliver is known to it, with reverse DNS and a contact; others are refused.',
  docomo: silent,
  au: 'Its page for senders asks not to send to many addresses that do not exist.',
  softbank: 'Its notes for senders say that a source of many unknown recipients is refused for some time.',
  mxroute: 'Its replies name "excessive rejected recipients" as a reason to refuse an address.',
  amazon:
    'Documents that rules of the customer decide about each recipient, and that mail no rule fits is refused.',
  fastmail: silent,
  ovh: silent,
  proton: silent,
  titan: silent,
  hostinger: silent,
  privateemail: silent,
  opensrs: silent,
  aruba: silent,
  infomaniak: silent,
};
