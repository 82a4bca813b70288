import type { Evidence, MailboxEvidence } from './evidence.ts';
import { largeProviders } from './lists/large-providers.ts';
import { isBelievedUnasked, providerOf } from './replies/providers.ts';

/**
 * The score: an estimate, in percent, of the chance that a message sent now is delivered. The status gives the
 * start, and each consideration that holds adds its points. The points are ours and not yet measured against
 * bounces. They cannot change the order of the statuses (a test goes through all possible evidence). Roles that get
 * no bulk mail stand aside from that order.
 *
 * `docs/score.md` is written from these two tables.
 */
export const scoreStarts = {
  invalid: 0,
  spamtrap: 0,
  disabled: 5,
  disposable: 10,
  inbox_full: 20,
  catch_all: 50,
  role_account: 80,
  safe: 95,
} as const;

/** `judge` asks for the score of every status but `unknown`; a status that is missing here does not compile there. */
export type ScoredStatus = keyof typeof scoreStarts;

/** The start of a role account that is not for bulk mail: a message arrives there, and does harm. */
export const notForBulkStart = 30;

type Consideration = {
  /** The question it answers; of several with the same question one can hold at most. */
  question: string;
  /** The condition, for the documentation. */
  what: string;
  points: Partial<Record<ScoredStatus, number>>;
  holds: (evidence: Evidence) => boolean;
};

const hourMs = 3_600_000;

export const considerations: readonly Consideration[] = [
  {
    question: 'provider',
    what: "the domain is a large provider's own",
    points: { safe: 3, role_account: 3 },
    holds: isOwnDomainOfProvider,
  },
  {
    question: 'provider',
    what: 'the domain is a customer of a provider that we know',
    points: { safe: 1, role_account: 1, catch_all: 4 },
    holds: (evidence) => isAtKnownProvider(evidence) && !isOwnDomainOfProvider(evidence),
  },
  {
    question: 'how_won',
    what: 'a made-up address was refused in the same conversation, or less than an hour ago',
    points: { safe: 1, role_account: 1 },
    holds: (evidence) =>
      answerFrom(evidence) === 'random_probe' ||
      (answerFrom(evidence) === 'memory' && rememberedMs(evidence) <= hourMs),
  },
  {
    question: 'how_won',
    what: 'it was refused without a reason, and only the contrast with this one told them apart',
    points: { safe: -1, role_account: -1 },
    holds: (evidence) => answerFrom(evidence) === 'contrast',
  },
  {
    question: 'how_won',
    what: 'that made-up addresses are refused is remembered for more than four hours',
    points: { safe: -1, role_account: -1 },
    holds: (evidence) => rememberedMs(evidence) > 4 * hourMs && rememberedMs(evidence) <= 12 * hourMs,
  },
  {
    question: 'how_won',
    what: 'that made-up addresses are refused is remembered for more than twelve hours',
    points: { safe: -2, role_account: -2 },
    holds: (evidence) => rememberedMs(evidence) > 12 * hourMs,
  },
  {
    question: 'how_won',
    what: 'that every address is taken is remembered for more than a day',
    points: { catch_all: -2 },
    holds: (evidence) => rememberedMs(evidence) > 24 * hourMs,
  },
  {
    question: 'implicit',
    what: 'the domain names no mail host (no MX), and its own address serves',
    points: { safe: -2, role_account: -2, catch_all: -5 },
    holds: ({ route }) => route?.kind === 'takes_mail' && route.implicit,
  },
  {
    question: 'spf',
    what: 'the domain names who may send for it (SPF)',
    points: { catch_all: 3 },
    holds: ({ posture }) => posture?.spf === true,
  },
  {
    question: 'dmarc',
    what: 'the domain has a DMARC record that only watches',
    points: { catch_all: 3 },
    holds: ({ posture }) => posture?.dmarc === 'watching',
  },
  {
    question: 'dmarc',
    what: 'the domain has a DMARC record that is enforced',
    points: { catch_all: 6 },
    holds: ({ posture }) => posture?.dmarc === 'enforced',
  },
  {
    question: 'mta_sts',
    what: 'the domain asks for encrypted delivery (MTA-STS)',
    points: { catch_all: 4 },
    holds: ({ posture }) => posture?.mtaSts === true,
  },
];

export function scoreOf(status: ScoredStatus, evidence: Evidence): number {
  return considerations.reduce(
    (score, { points, holds }) => {
      const added = points[status];
      return added !== undefined && holds(evidence) ? score + added : score;
    },
    startOf(status, evidence),
  );
}

function startOf(status: ScoredStatus, { lists }: Evidence): number {
  return status === 'role_account' && lists.notForBulk === true ? notForBulkStart : scoreStarts[status];
}

function isOwnDomainOfProvider({ address, mailbox }: Evidence): boolean {
  return largeProviders.has(address.host) || isBelievedUnasked(address.host, mailbox?.host ?? '');
}

function isAtKnownProvider({ mailbox }: Evidence): boolean {
  return mailbox?.host !== undefined && providerOf(mailbox.host) !== undefined;
}

function catchAllOf(mailbox: MailboxEvidence | undefined) {
  return mailbox?.kind === 'answered' && mailbox.catchAll.kind !== 'undetermined'
    ? mailbox.catchAll
    : undefined;
}

function answerFrom({ mailbox }: Evidence): string | undefined {
  return catchAllOf(mailbox)?.from;
}

/** Returns the age of the answer; 0 if it was found out now. */
function rememberedMs({ mailbox }: Evidence): number {
  const catchAll = catchAllOf(mailbox);
  return catchAll?.from === 'memory' ? (catchAll.ageMs ?? 0) : 0;
}
