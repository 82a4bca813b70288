/**
 * The mail providers we know by the names of their mail hosts, and how far their answers can be trusted by what is
 * publicly known. Gathered from postmaster pages and the issue threads of open-source verifiers, not from tests
 * against the providers: without a source nothing is believed.
 */

type Provider = {
  id: string;
  /** Endings of the names of its mail hosts; each begins with a dot, and the bare name matches as well. */
  suffixes: readonly string[];
  /** Accepts every recipient and decides after the message, which we never send: asking would tell nothing. */
  acceptsEverything?: true;
  /**
   * The provider's own domains, at which unknown mailboxes are known to be refused. So an acceptance is believed
   * without asking for a made-up one. Domains of customers behind the same hosts may take every address.
   */
  truthfulDomains?: readonly string[];
  /** Recipients the host takes in one transaction, if fewer than an SMTP server must take. */
  recipientsPerTransaction?: number;
  /** Says "unknown user" of living mailboxes too, if their owner's filter refuses the sender: proves nothing. */
  hidesItsReasons?: true;
  /** Delays the first delivery of a sender it has not met, so a deferral there is worth a second try. */
  greylists?: boolean;
  /**
   * The words of its "full" and "disabled" replies, in lower case; without them all its words are taken for its own.
   */
  stateWords?: readonly string[];
  /** Other names under which a reply may say who sent it. */
  aliases?: readonly string[];
};

/** Consumer mail of Microsoft, whose domains are all its own. */
const outlookDomains = [
  ...['outlook.com', 'outlook.fr', 'outlook.de', 'outlook.es', 'outlook.it', 'outlook.pt', 'outlook.at'],
  ...[
    'outlook.be',
    'outlook.dk',
    'outlook.ie',
    'outlook.in',
    'outlook.jp',
    'outlook.co.th',
    'outlook.com.au',
  ],
  ...['outlook.com.br', 'outlook.com.ar', 'outlook.com.tr', 'outlook.cl', 'outlook.cz', 'outlook.hu'],
  ...['hotmail.com', 'hotmail.co.uk', 'hotmail.fr', 'hotmail.de', 'hotmail.it', 'hotmail.es', 'hotmail.ca'],
  ...['hotmail.be', 'hotmail.nl', 'hotmail.se', 'hotmail.dk', 'hotmail.no', 'hotmail.ch', 'hotmail.gr'],
  ...['hotmail.co.jp', 'hotmail.com.br', 'hotmail.com.ar', 'hotmail.com.tr', 'hotmail.cl', 'hotmail.fi'],
  ...['live.com', 'live.co.uk', 'live.fr', 'live.de', 'live.it', 'live.nl', 'live.ca', 'live.be', 'live.at'],
  ...['live.dk', 'live.se', 'live.no', 'live.com.au', 'live.com.mx', 'live.com.ar', 'live.com.pt', 'live.cl'],
  ...['live.cn', 'live.ie', 'live.in', 'live.jp', 'live.ru', 'live.co.za', 'msn.com', 'windowslive.com'],
];

/**
 * Exchange: "STOREDRV.Deliver: mailbox full … QuotaExceeded", "550 5.7.504 … Recipient address rejected: Access
 * denied".
 */
const exchangeStateWords = ['mailbox full', 'mailbox is full', 'quotaexceeded', 'recipient address rejected'];

/**
 * The regions in which Amazon receives mail for its customers; other names below amazonaws.com are customers' own
 * machines.
 */
const amazonInboundRegions = [
  ...['us-east-1', 'us-east-2', 'us-west-2', 'ca-central-1', 'sa-east-1'],
  ...['eu-west-1', 'eu-west-2', 'eu-west-3', 'eu-central-1', 'eu-north-1', 'eu-south-1'],
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2'],
];

const providers = [
  {
    // A Workspace domain may route every address to one mailbox.
    id: 'google',
    suffixes: ['.google.com', '.googlemail.com', '.smtp.goog'],
    truthfulDomains: ['gmail.com', 'googlemail.com'],
    // "The recipient's inbox is out of storage space … p=OverQuotaTemp … gsmtp", "… is disabled … p=DisabledUser".
    stateWords: ['p=overquota', 'p=disableduser', 'p=inactiveuser', 'inbox is out of storage', 'gsmtp'],
    aliases: ['gmail', 'google workspace', 'g suite'],
  },
  {
    // Tells the truth to an address it likes, one recipient per transaction (452 4.5.3 to the second).
    id: 'outlook',
    suffixes: ['.olc.protection.outlook.com', '.hotmail.com'],
    truthfulDomains: outlookDomains,
    recipientsPerTransaction: 1,
    stateWords: exchangeStateWords,
    aliases: ['outlook.com', 'hotmail', 'live', 'msn'],
  },
  {
    // Refuses unknown mailboxes only if the tenant's domain is authoritative with edge blocking on; otherwise
    // takes all.
    id: 'microsoft',
    suffixes: ['.mail.protection.outlook.com', '.mx.microsoft', '.protection.office365.us'],
    stateWords: exchangeStateWords,
    aliases: ['microsoft 365', 'office365', 'office 365', 'exchange online', 'exchange'],
  },
  {
    // Accepts every recipient and refuses after DATA, which we never send. Its hosts also serve AOL, Verizon, cox.net
    // (since 2024), att.net, sbcglobal.net, bellsouth.net (2025) and comcast.net (as it moves, through 2026).
    id: 'yahoo',
    suffixes: ['.yahoodns.net', '.mail.yahoo.co.jp'],
    acceptsEverything: true,
    aliases: ['aol', 'verizon', 'verizonmedia', 'at&t', 'att', 'sbcglobal'],
  },
  {
    // Truthful once our address has passed a reputation check. A domain of iCloud+ may take every address.
    id: 'apple',
    suffixes: ['.mail.icloud.com', '.mail.me.com'],
    truthfulDomains: ['icloud.com', 'me.com', 'mac.com'],
    aliases: ['icloud', 'me.com'],
  },
  {
    // Answers "250 Go ahead" to random recipients; the truth comes after DATA.
    id: 'mailru',
    suffixes: ['.mail.ru'],
    acceptsEverything: true,
    aliases: ['mail.ru', 'vk'],
  },
  {
    // Some hosted domains take everything.
    id: 'yandex',
    suffixes: ['.yandex.net', '.yandex.ru'],
  },
  {
    // Truthful if the customer has switched recipient validation on; defers senders it has not met.
    id: 'mimecast',
    suffixes: ['.mimecast.com', '.mimecast.co.za', '.mimecast-offshore.com'],
    greylists: true,
  },
  {
    id: 'proofpoint',
    suffixes: ['.pphosted.com', '.ppe-hosted.com', '.gpphosted.com'],
    aliases: ['proofpoint essentials'],
  },
  { id: 'barracuda', suffixes: ['.barracudanetworks.com'], greylists: true },
  {
    // May take half a minute over a RCPT while it asks the host behind.
    id: 'spamexperts',
    suffixes: ['.antispamcloud.com', '.spamexperts.com'],
  },
  { id: 'ironport', suffixes: ['.iphmx.com'], aliases: ['cisco'] },
  {
    id: 'messagelabs',
    suffixes: ['.messagelabs.com'],
    aliases: ['symantec', 'symantec-messagelabs', 'broadcom'],
  },
  { id: 'sophos', suffixes: ['.reflexion.net', '.hydra.sophos.com'] },
  {
    // Blocks an address for the day after too many unknown recipients.
    id: 'godaddy',
    suffixes: ['.secureserver.net'],
    aliases: ['secureserver'],
  },
  { id: 'rackspace', suffixes: ['.emailsrvr.com'] },
  {
    id: 'hornetsecurity',
    suffixes: ['.hornetsecurity.com', '.antispameurope.com'],
  },
  {
    id: 'trendmicro',
    suffixes: ['.trendmicro.com', '.trendmicro.eu'],
    aliases: ['trend micro'],
  },
  { id: 'forcepoint', suffixes: ['.mailcontrol.com'] },
  {
    id: 'gmx',
    suffixes: [
      '.gmx.net',
      '.gmx.com',
      '.web.de',
      '.kundenserver.de',
      '.ionos.com',
      '.ionos.de',
      '.1and1.com',
    ],
    aliases: ['gmx/web.de/1&1', 'web.de', '1&1', 'ionos', '1and1', 'mail.com'],
  },
  { id: 'comcast', suffixes: ['.comcast.net'], aliases: ['xfinity'] },
  {
    id: 'orange',
    suffixes: ['.orange.fr', '.wanadoo.fr'],
    aliases: ['wanadoo'],
  },
  { id: 'laposte', suffixes: ['.laposte.net'], aliases: ['la poste'] },
  { id: 'free', suffixes: ['.free.fr', '.proxad.net'], aliases: ['free.fr'] },
  {
    id: 'qq',
    suffixes: ['.qq.com'],
    aliases: ['tencent', 'tencent-qq', 'foxmail'],
  },
  {
    id: 'netease',
    suffixes: ['.netease.com', '.163.com', '.126.com', '.ym.163.com'],
    aliases: ['163', '163.com', '126.com'],
  },
  {
    id: 'hanmail',
    suffixes: ['.hanmail.net', '.daum.net'],
    aliases: ['daum', 'kakao'],
  },
  { id: 'naver', suffixes: ['.naver.com'] },
  { id: 'zoho', suffixes: ['.zoho.com', '.zoho.eu', '.zoho.in'] },
  {
    id: 'tonline',
    suffixes: ['.t-online.de'],
    aliases: ['t-online', 'telekom'],
  },
  // The Japanese mobile carriers: many of their customers take no mail from the Internet, or only from a list.
  { id: 'docomo', suffixes: ['.docomo.ne.jp'], hidesItsReasons: true, aliases: ['ntt docomo'] },
  {
    id: 'au',
    suffixes: ['.ezweb.ne.jp', '.au.com', '.uqmobile.jp'],
    hidesItsReasons: true,
    aliases: ['kddi', 'ezweb'],
  },
  {
    id: 'softbank',
    suffixes: ['.softbank.ne.jp', '.softbank.jp', '.vodafone.ne.jp', '.disney.ne.jp', '.ymobile.ne.jp'],
    hidesItsReasons: true,
    aliases: ['vodafone japan', 'ymobile'],
  },
  {
    // Blocks an address that asks for too many unknown recipients.
    id: 'mxroute',
    suffixes: ['.mxrouting.net', '.mxlogin.com'],
  },
  {
    // SES and WorkMail receive at the same hosts; a rule of the customer decides about each recipient.
    id: 'amazon',
    suffixes: amazonInboundRegions.map((region) => `.inbound-smtp.${region}.amazonaws.com`),
    aliases: ['amazon ses', 'ses', 'workmail', 'amazon workmail'],
  },
  { id: 'fastmail', suffixes: ['.messagingengine.com'] },
  {
    // Only the hosts of its mail products: customers run mail servers of their own under other names of ovh.net.
    id: 'ovh',
    suffixes: [
      ...['.mail.ovh.net', '.mail.ovh.ca', '.redirect.ovh.net'],
      ...['.mx0.ovh.net', '.mx1.ovh.net', '.mx2.ovh.net', '.mx3.ovh.net', '.mx4.ovh.net'],
    ],
    aliases: ['ovhcloud'],
  },
  { id: 'proton', suffixes: ['.protonmail.ch'], aliases: ['protonmail', 'proton mail'] },
  { id: 'titan', suffixes: ['.titan.email', '.flockmail.com'], aliases: ['flock'] },
  { id: 'hostinger', suffixes: ['.hostinger.com'] },
  { id: 'privateemail', suffixes: ['.privateemail.com'], aliases: ['namecheap', 'private email'] },
  { id: 'opensrs', suffixes: ['.hostedemail.com'], aliases: ['tucows', 'hostedemail'] },
  { id: 'aruba', suffixes: ['.aruba.it'] },
  { id: 'infomaniak', suffixes: ['.infomaniak.ch', '.infomaniak.com'] },
] as const satisfies readonly Provider[];

export type ProviderId = (typeof providers)[number]['id'];

type KnownProvider = Provider & { id: ProviderId };

/** Every provider of the table, for the operator's settings and the documentation. */
export const providerTable: readonly KnownProvider[] = providers;

const bySuffix = new Map(
  providerTable.flatMap((provider) => provider.suffixes.map((suffix) => [suffix, provider] as const)),
);

/** The last two labels of every suffix: hardly any mail host ends so, and for all others this one look suffices. */
const endings = new Set([...bySuffix.keys()].map(lastTwoLabels));

/** Returns the provider that runs a mail host, told by the end of its name; the longest known ending wins. */
export function providerOf(mailHost: string): KnownProvider | undefined {
  const lower = mailHost.toLowerCase();
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower;
  if (!endings.has(lastTwoLabels(name))) return undefined;
  const host = `.${name}`;
  for (let at = 0; at >= 0; at = host.indexOf('.', at + 1)) {
    const provider = bySuffix.get(host.slice(at));
    if (provider !== undefined) return provider;
  }
  return undefined;
}

function lastTwoLabels(name: string): string {
  return name.slice(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
}

/** Whether an acceptance there is believed without asking for a made-up address as well. */
export function isBelievedUnasked(domain: string, mailHost: string): boolean {
  return truthfulDomains.has(domain) && (providerOf(mailHost)?.truthfulDomains?.includes(domain) ?? false);
}

/** Whether "full" or "disabled" is said in a provider's own words: they need no made-up recipient beside them. */
export function isInOwnWords(id: ProviderId | undefined, text: string): boolean {
  if (id === undefined) return false;
  const own = stateWords.get(id);
  const words = own === undefined ? '' : text.toLowerCase();
  return own === undefined || own.some((phrase) => words.includes(phrase));
}

const stateWords: ReadonlyMap<ProviderId, readonly string[]> = new Map(
  providerTable.flatMap((provider) =>
    provider.stateWords === undefined ? [] : [[provider.id, provider.stateWords] as const],
  ),
);

/** Whether "no such mailbox" of this provider may be its filter speaking. */
export function hidesItsReasons(id: ProviderId | undefined): boolean {
  return id !== undefined && secretive.has(id);
}

const secretive: ReadonlySet<ProviderId> = new Set(
  providerTable.filter((provider) => provider.hidesItsReasons === true).map(({ id }) => id),
);

/**
 * Returns the provider that serves a domain as one of its own; undefined for its customers' domains, which only DNS
 * tells.
 */
export function ownDomainsOf(domain: string): ProviderId | undefined {
  return providerTable.find(({ truthfulDomains: own }) => own?.includes(domain) === true)?.id;
}

const truthfulDomains = new Set(providerTable.flatMap((provider) => provider.truthfulDomains ?? []));

/** Returns the provider meant by a name: an id of the table, another common name, or the name of a mail host. */
export function providerNamed(name: string): ProviderId | undefined {
  const wanted = name.trim().toLowerCase();
  const named = providerTable.find(({ id, aliases }) => id === wanted || aliases?.includes(wanted) === true);
  return (named ?? providerOf(wanted))?.id;
}
