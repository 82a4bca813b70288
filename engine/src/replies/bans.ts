/**
 * Replies by which a provider bans an egress address until the operator asks it to end that. Waiting does not cure a
 * ban, and each further visit is held against us. Rules are data, each with the reply that taught it; the sample is
 * its own test. They hold only at hosts of that provider, so no other host can keep us away from it.
 */
type BanRule = {
  /** Ids of the provider table. */
  providers: readonly string[];
  /** The mark of the ban in the text of the reply. */
  text?: RegExp;
  /** The same by the enhanced code (RFC 3463): the third number, from and to. */
  detail?: readonly [from: number, to: number];
  /** The page that takes requests to end the ban. */
  page: string;
  samples: readonly string[];
};

export const banRules: readonly BanRule[] = [
  {
    providers: ['outlook', 'microsoft'],
    text: /\bA?S31[45]0\b/,
    page: 'https://olcsupport.office.com/',
    samples: [
      "550 5.7.1 Unfortunately, messages from [192.0.2.7] weren't sent. Part of their network is on our block list (S3140).",
      '550 5.7.1 Messages from [192.0.2.7] were refused: on our block list (AS3150)',
    ],
  },
  {
    // Exchange Online: 5.7.606 to 5.7.649 "banned sending IP", 5.7.511 "banned sender".
    providers: ['microsoft', 'outlook'],
    detail: [606, 649],
    page: 'https://sender.office.com/',
    samples: ['550 5.7.606 Access denied, banned sending IP [192.0.2.7]'],
  },
  {
    providers: ['microsoft', 'outlook'],
    detail: [511, 511],
    page: 'https://sender.office.com/',
    samples: ['550 5.7.511 Access denied, banned sender [192.0.2.7]'],
  },
  {
    providers: ['yahoo'],
    text: /\b(?:TS03|TSS09|TSS1\d)\b|\bpermanently deferred\b/i,
    page: 'https://senders.yahooinc.com/contact/',
    samples: [
      '553 5.7.2 [TSS11] All messages from 192.0.2.7 will be permanently deferred; Retrying will NOT succeed',
      '421 4.7.1 [TS03] All messages from 192.0.2.7 will be permanently deferred; Retrying will NOT succeed',
    ],
  },
  {
    providers: ['gmx'],
    text: /\bIP address is bl(?:ock|ack) ?listed\b/i,
    page: 'https://postmaster.gmx.net/en/contact',
    samples: [
      '554 gmx.net (mxgmx007) Nemesis ESMTP Service not available No SMTP service IP address is black listed.',
    ],
  },
  {
    providers: ['tonline'],
    text: /\btosa@rx\.t-online\.de\b|\bIP=\S+ - A problem occurred\b/i,
    page: 'https://postmaster.t-online.de/index.en.html',
    samples: [
      '554 IP=192.0.2.7 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de)',
    ],
  },
  {
    providers: ['comcast'],
    text: /\bBL0000\d\d\b/,
    page: 'https://spa.xfinity.com/report',
    samples: ['554 resimta-po-01v.sys.comcast.net 192.0.2.7 Comcast block for spam. BL000001'],
  },
  {
    providers: ['apple', 'proofpoint'],
    text: /\b(?:ipcheck|support)\.proofpoint\.com\b/i,
    page: 'https://ipcheck.proofpoint.com/',
    samples: ['554 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.7'],
  },
  {
    providers: ['godaddy'],
    text: /\bIB11[23]\b/,
    page: 'https://unblock.secureserver.net/',
    samples: ['554 attempting to mail too many invalid recipients IB113'],
  },
];

/** A reply as it came off the wire. */
type HeardReply = { code: number; enhanced: string | undefined; lines: readonly string[] };

export type Ban = { code: string; page: string };

/** Returns the ban that a provider's reply tells of; `group` is the provider's id. */
export function banIn({ code, enhanced, lines }: HeardReply, group: string): Ban | undefined {
  if (code < 400 || !banningProviders.has(group)) return undefined;
  const text = lines.join(' ');
  const detail = /^[45]\.7\.(\d{1,3})$/.exec(enhanced ?? '')?.[1];
  for (const { providers, text: words, detail: range, page } of banRules) {
    if (!providers.includes(group)) continue;
    const found = words?.exec(text)?.[0];
    if (found !== undefined) return { code: found, page };
    if (range !== undefined && detail !== undefined && +detail >= range[0] && +detail <= range[1])
      return { code: enhanced ?? '', page };
  }
  return undefined;
}

const banningProviders: ReadonlySet<string> = new Set(banRules.flatMap(({ providers }) => providers));
