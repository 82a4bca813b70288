/**
 * The mail providers we know by the names of their mail hosts, and what is publicly known of how far their answers
 * can be trusted. Gathered from postmaster pages and the issue threads of open-source verifiers, not from tests
 * against the providers: where nothing is known the table says `unknown`, and the judge then believes nothing.
 */

type Provider = {
  id: string;
  /** Mail hosts whose name ends so; each begins with a dot, and the bare name matches as well. */
  suffixes: readonly string[];
  /** Whether a refusal of an unknown mailbox at RCPT, and so an acceptance too, can be believed. */
  refusesRandomProbes: 'truthfully' | 'never' | 'unknown';
  /** Where only some of the domains behind the host are known to be answered truthfully. */
  truthfulDomains?: readonly string[];
  /** Recipients the host takes in one transaction, where that is fewer than an SMTP server must take. */
  recipientsPerTransaction?: number;
  /** Delays the first delivery of an unknown sender, so a deferral there is worth a second try. */
  greylists?: boolean;
  /** Other names under which a reply may say who sent it. */
  aliases?: readonly string[];
};

const providers = [
  {
    // gmail.com refuses made-up addresses at RCPT; a Workspace domain behind the same hosts may take every address.
    id: 'google',
    suffixes: ['.google.com', '.googlemail.com', '.smtp.goog'],
    refusesRandomProbes: 'unknown',
    truthfulDomains: ['gmail.com', 'googlemail.com'],
    aliases: ['gmail', 'google workspace', 'g suite'],
  },
  {
    // Tells the truth to an address it likes, one recipient per transaction (452 4.5.3 to the second).
    id: 'outlook',
    suffixes: ['.olc.protection.outlook.com', '.hotmail.com'],
    refusesRandomProbes: 'truthfully',
    recipientsPerTransaction: 1,
    aliases: ['outlook.com', 'hotmail', 'live', 'msn'],
  },
  {
    // Refuses made-up addresses only where the tenant's domain is authoritative with edge blocking on; otherwise takes all.
    id: 'microsoft',
    suffixes: ['.mail.protection.outlook.com', '.mx.microsoft', '.protection.office365.us'],
    refusesRandomProbes: 'unknown',
    aliases: ['microsoft 365', 'office365', 'office 365', 'exchange online', 'exchange'],
  },
  {
    // Accepts every recipient and refuses after DATA, which we never send.
    id: 'yahoo',
    suffixes: ['.yahoodns.net', '.mail.yahoo.co.jp'],
    refusesRandomProbes: 'never',
    aliases: ['aol', 'verizon', 'verizonmedia', 'at&t', 'att', 'sbcglobal'],
  },
  {
    // Truthful, but only once the sender's address has passed a reputation check.
    id: 'apple',
    suffixes: ['.mail.icloud.com', '.mail.me.com'],
    refusesRandomProbes: 'truthfully',
    aliases: ['icloud', 'me.com'],
  },
  {
    // Answers "250 Go ahead" to random recipients; the truth comes after DATA.
    id: 'mailru',
    suffixes: ['.mail.ru'],
    refusesRandomProbes: 'never',
    aliases: ['mail.ru', 'vk'],
  },
  {
    // Some hosted domains take everything.
    id: 'yandex',
    suffixes: ['.yandex.net', '.yandex.ru'],
    refusesRandomProbes: 'unknown',
  },
  {
    // Truthful where the customer has switched recipient validation on; defers unknown senders.
    id: 'mimecast',
    suffixes: ['.mimecast.com', '.mimecast.co.za', '.mimecast-offshore.com'],
    refusesRandomProbes: 'unknown',
    greylists: true,
  },
  {
    id: 'proofpoint',
    suffixes: ['.pphosted.com', '.ppe-hosted.com', '.gpphosted.com'],
    refusesRandomProbes: 'unknown',
    aliases: ['proofpoint essentials'],
  },
  { id: 'barracuda', suffixes: ['.barracudanetworks.com'], refusesRandomProbes: 'unknown', greylists: true },
  {
    // May take half a minute over a RCPT while it asks the host behind.
    id: 'spamexperts',
    suffixes: ['.antispamcloud.com', '.spamexperts.com'],
    refusesRandomProbes: 'unknown',
  },
  { id: 'ironport', suffixes: ['.iphmx.com'], refusesRandomProbes: 'unknown', aliases: ['cisco'] },
  {
    id: 'messagelabs',
    suffixes: ['.messagelabs.com'],
    refusesRandomProbes: 'unknown',
    aliases: ['symantec', 'symantec-messagelabs', 'broadcom'],
  },
  { id: 'sophos', suffixes: ['.reflexion.net', '.hydra.sophos.com'], refusesRandomProbes: 'unknown' },
  {
    // Blocks an address for the day after too many unknown recipients.
    id: 'godaddy',
    suffixes: ['.secureserver.net'],
    refusesRandomProbes: 'unknown',
    aliases: ['secureserver'],
  },
  { id: 'rackspace', suffixes: ['.emailsrvr.com'], refusesRandomProbes: 'unknown' },
  {
    id: 'hornetsecurity',
    suffixes: ['.hornetsecurity.com', '.antispameurope.com'],
    refusesRandomProbes: 'unknown',
  },
  {
    id: 'trendmicro',
    suffixes: ['.trendmicro.com', '.trendmicro.eu'],
    refusesRandomProbes: 'unknown',
    aliases: ['trend micro'],
  },
  { id: 'forcepoint', suffixes: ['.mailcontrol.com'], refusesRandomProbes: 'unknown' },
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
    refusesRandomProbes: 'unknown',
    aliases: ['gmx/web.de/1&1', 'web.de', '1&1', 'ionos', '1and1', 'mail.com'],
  },
  { id: 'comcast', suffixes: ['.comcast.net'], refusesRandomProbes: 'unknown', aliases: ['xfinity'] },
  {
    id: 'orange',
    suffixes: ['.orange.fr', '.wanadoo.fr'],
    refusesRandomProbes: 'unknown',
    aliases: ['wanadoo'],
  },
  { id: 'laposte', suffixes: ['.laposte.net'], refusesRandomProbes: 'unknown', aliases: ['la poste'] },
  { id: 'free', suffixes: ['.free.fr', '.proxad.net'], refusesRandomProbes: 'unknown', aliases: ['free.fr'] },
  {
    id: 'qq',
    suffixes: ['.qq.com'],
    refusesRandomProbes: 'unknown',
    aliases: ['tencent', 'tencent-qq', 'foxmail'],
  },
  {
    id: 'netease',
    suffixes: ['.netease.com', '.163.com', '.126.com', '.ym.163.com'],
    refusesRandomProbes: 'unknown',
    aliases: ['163', '163.com', '126.com'],
  },
  {
    id: 'hanmail',
    suffixes: ['.hanmail.net', '.daum.net'],
    refusesRandomProbes: 'unknown',
    aliases: ['daum', 'kakao'],
  },
  { id: 'naver', suffixes: ['.naver.com'], refusesRandomProbes: 'unknown' },
  { id: 'zoho', suffixes: ['.zoho.com', '.zoho.eu', '.zoho.in'], refusesRandomProbes: 'unknown' },
  {
    id: 'tonline',
    suffixes: ['.t-online.de'],
    refusesRandomProbes: 'unknown',
    aliases: ['t-online', 'telekom'],
  },
  { id: 'docomo', suffixes: ['.docomo.ne.jp'], refusesRandomProbes: 'unknown' },
  {
    // Blocks an address that asks for too many unknown recipients.
    id: 'mxroute',
    suffixes: ['.mxrouting.net', '.mxlogin.com'],
    refusesRandomProbes: 'unknown',
  },
] as const satisfies readonly Provider[];

export type ProviderId = (typeof providers)[number]['id'];

/** Every provider of the table, for the operator's settings and the documentation. */
export const providerTable: readonly (Provider & { id: ProviderId })[] = providers;

/** The provider that runs a mail host, told by the end of its name; the longest known ending wins. */
export function providerOf(mailHost: string): (Provider & { id: ProviderId }) | undefined {
  const host = `.${mailHost.toLowerCase().replace(/\.$/u, '')}`;
  let best: { length: number; provider: Provider & { id: ProviderId } } | undefined;
  for (const provider of providerTable) {
    for (const suffix of provider.suffixes) {
      if (host.endsWith(suffix) && suffix.length > (best?.length ?? 0)) {
        best = { length: suffix.length, provider };
      }
    }
  }
  return best?.provider;
}

/** The provider meant by a name: an id of the table, another common name, or the name of a mail host. */
export function providerNamed(name: string): ProviderId | undefined {
  const wanted = name.trim().toLowerCase();
  const named = providerTable.find(({ id, aliases }) => id === wanted || aliases?.includes(wanted) === true);
  return (named ?? providerOf(wanted))?.id;
}
