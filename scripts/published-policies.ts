import type { ProviderId } from '../engine/src/replies/providers.ts';

/**
 * Each provider's published rules about asking for a mailbox without sending a message, as far as we know them, in our
 * words. For `docs/providers.md`, so that an operator can decide whether to ask there at all.
 */
const silent = 'No public page that speaks of it is known to us.';

/** A public page that a statement of the documentation rests on. */
type Source = { name: string; url: string };

/** A subject that was looked up: statements of the pages, conclusions, and claims that no page confirms. */
export type LookedUp = {
  title: string;
  says: string;
  sources: Source[];
  advice: string;
  unconfirmed: string;
};

/** When the pages below were read, in archived copies. */
export const lookedUpOn = 'November 2026';

export const lookedUp: readonly LookedUp[] = [
  {
    title: 'Microsoft forbids verification without sending',
    says: 'The policies of Outlook.com for senders forbid "namespace mining" against its inbound servers. They define it as verifying addresses without sending mail to them, or trying to. Its support told the user of a verifier that Outlook.com blocks all mail from IP addresses that show signs of it. The block also hits mail that the same address sends.',
    sources: [
      { name: 'Outlook.com Postmaster, policies', url: 'https://postmaster.live.com/pm/policies.aspx' },
      {
        name: 'Outlook.com Postmaster, troubleshooting',
        url: 'https://postmaster.live.com/pm/troubleshooting.aspx',
      },
      {
        name: 'answer of its support, 2016',
        url: 'https://github.com/kamilc/email_verifier/issues/35',
      },
    ],
    advice:
      'Ask Outlook.com only from IP addresses that never send mail, or do not ask: `MAILPROOF_ASK_PROVIDERS=permitted`. `mailproof setup` puts the question.',
    unconfirmed:
      "no archived copy of Microsoft's own two pages was found; the wording is that of quotations elsewhere. Whether the policy also covers customers of Microsoft 365 is not said there, so `permitted` leaves out `outlook` alone. To be on the safe side, use `-outlook,-microsoft`.",
  },
  {
    title: 'Google counts per IP address and per sender domain',
    says: 'Google limits the rate (421 4.7.28) per IP address, per network, per SPF domain and per DKIM domain; the quota of an IP address is shared by everyone who sends from it.',
    sources: [
      {
        name: 'Gmail SMTP errors and codes',
        url: 'https://knowledge.workspace.google.com/admin/support/troubleshooting/gmail-smtp-errors-and-codes',
      },
      {
        name: 'the replies, 2024',
        url: 'https://www.managedserver.eu/gmail-introduce-nuovi-messaggi-di-rifiuto-legati-allo-spam-cosa-devi-sapere/',
      },
      {
        name: 'the quotas, after the sender guidelines',
        url: 'https://dmarcpal.com/learn/gmail-4-7-28-throttling-sender-warm-up-dkim-spf-ip-quotas',
      },
    ],
    advice:
      'The sender of a probe is the SPF domain. Routes that share the domain of `mailFrom` may therefore share one quota: more IP addresses do not multiply it. Give each route a sender domain of its own, with its own SPF record, or size them as one.',
    unconfirmed:
      'no page gives the quotas in figures, or the date since which the quotas of domains hold. A verification sends no message, so no DKIM quota applies to it; how Google counts it otherwise is not published.',
  },
  {
    title: 'More domains are hosted by Yahoo',
    says: 'The mail of cox.net goes to Yahoo since 1 October 2024. att.net, sbcglobal.net, bellsouth.net and the other consumer domains of AT&T followed in 2025. Comcast moves comcast.net and xfinity.com in phases. Yahoo accepts every recipient and tells after DATA whether the mailbox exists.',
    sources: [
      {
        name: 'cox.net',
        url: 'https://www.suped.com/knowledge/email-deliverability/technical/when-did-coxnet-change-their-mx-records',
      },
      {
        name: 'AT&T',
        url: 'https://www.suped.com/learn/email-deliverability/how-are-email-delivery-issues-between-att-and-yahoo-related',
      },
      { name: 'Comcast', url: 'https://tecknexus.com/comcast-moves-xfinity-email-to-yahoo-mail/3' },
      {
        name: 'a conversation with Yahoo, 2024',
        url: 'https://github.com/truemail-rb/truemail-go/issues/91',
      },
    ],
    advice:
      'Nothing has to be set: the mail host decides, not the domain. As soon as the MX record of a domain names a host of Yahoo, its addresses are `unknown`, free of charge, with the reason `provider_accepts_everything`.',
    unconfirmed:
      'the month of the move of AT&T and the end of that of Comcast are on no page that was found. A domain whose MX still names hosts of its own is asked there.',
  },
  {
    title: 'Spamhaus objects to verification services',
    says: "Spamhaus holds that a verification does nothing for the permission of the recipient. A server with VRFY and EXPN switched off withholds its mailboxes. To Spamhaus, finding them out by other means is an attempted breach of the receiver's security policies.",
    sources: [
      {
        name: 'On the dubious merits of email verification services, 2015',
        url: 'https://www.spamhaus.org/resource-hub/deliverability/on-the-dubious-merits-of-email-verification-services/',
      },
    ],
    advice:
      'Expect no sympathy for a listed IP address. Verify only addresses that were given to you, and none to find out whether a guess exists.',
    unconfirmed: 'that Spamhaus sees it differently today; nothing later was found.',
  },
];

export const publishedPolicies: Readonly<Record<ProviderId, string>> = {
  google:
    'Its guidelines for senders ask for authentication, reverse DNS, a low rate of complaints and volume that grows slowly; they do not speak of it. Quotas hold per IP address and per sender domain (see above).',
  outlook:
    'Forbids it: its policies for senders rule out "namespace mining", and it blocks IP addresses for it (see above).',
  microsoft:
    'Documents that recipients unknown to a tenant are refused at the edge if the tenant has that on, and that unfamiliar senders are slowed down.',
  yahoo:
    'Its pages for senders advise to take unknown recipients off the list. An address with too many of them is slowed down or refused.',
  apple:
    'Its page for postmasters advises to take refused addresses off the list; it does not speak of asking without sending.',
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
  messagelabs: 'Documents that unknown recipients are refused if the customer registers its addresses.',
  sophos: silent,
  godaddy: 'Its list of bounce codes names too many invalid recipients as a reason to refuse an address.',
  rackspace: silent,
  hornetsecurity: silent,
  trendmicro: 'Documents protection from directory harvesting.',
  forcepoint: 'Documents protection from directory harvesting.',
  gmx: 'Its pages for postmasters ask for reverse DNS and a clean list; they do not speak of it.',
  comcast:
    'Its pages for postmasters list limits on connections and recipients. Its mailboxes move to Yahoo (see above).',
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
