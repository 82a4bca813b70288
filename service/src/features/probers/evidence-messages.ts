import { canonicalMailHost, type MailboxEvidence, type Remembered } from '@mailproof/engine';
import {
  longestLifeMs,
  longestWaitMs,
  noAnswerReasons,
  type EvidenceMessage,
  type LearnedMessage,
} from './prober-messages.ts';
import { messageLimits } from './message-limits.ts';

/** Writes evidence in the form that a prober and the centre exchange. */
export function writeEvidence(evidence: MailboxEvidence): EvidenceMessage {
  const { kind, host, replies, meaning } = evidence;
  const said = {
    kind,
    replies: replies.slice(0, messageLimits.replies).map(({ phase, code, enhanced, text }) => ({
      phase,
      code,
      ...(enhanced === undefined ? {} : { enhanced }),
      text,
    })),
    ...(host === undefined ? {} : { host }),
    ...(meaning === undefined ? {} : { meaning }),
  };
  if (evidence.kind === 'no_answer') {
    const { reason, connected, retryAfterMs } = evidence;
    const known = noAnswerReasons.find((one) => one === reason) ?? 'mx_unreachable';
    return {
      ...said,
      reason: known,
      connected,
      ...(retryAfterMs === undefined
        ? {}
        : { retry_after_ms: Math.min(Math.ceil(retryAfterMs), longestWaitMs) }),
    };
  }
  const { catchAll, contrast } = evidence;
  const from = catchAll.kind === 'undetermined' ? {} : { from: catchAll.from };
  const age =
    catchAll.kind === 'undetermined' || catchAll.ageMs === undefined
      ? {}
      : { age_ms: Math.max(0, Math.round(catchAll.ageMs)) };
  const why =
    catchAll.kind === 'undetermined' && catchAll.meaning !== undefined ? { meaning: catchAll.meaning } : {};
  return {
    ...said,
    catch_all: { kind: catchAll.kind, ...from, ...age, ...why },
    ...(contrast === undefined ? {} : { contrast }),
  };
}

/** Returns `undefined` if the fields are valid but contradict each other. */
export function readEvidence(message: EvidenceMessage): MailboxEvidence | undefined {
  const { kind, replies, meaning, catch_all: catchAll, contrast } = message;
  // The name is for people and for the provider table; it is never dialled.
  const host = message.host === undefined ? undefined : canonicalMailHost(message.host);
  if (message.host !== undefined && host === undefined) return undefined;
  if (!replies.every(isReply)) return undefined;
  const read = replies.map(({ phase, code, enhanced, text }) => ({ phase, code, enhanced, text }));
  if (kind === 'no_answer') {
    const { reason, connected, retry_after_ms: retryAfterMs } = message;
    if (reason === undefined || connected === undefined) return undefined;
    const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
    return { kind, reason, meaning, connected, host, replies: read, ...retry };
  }
  if (host === undefined || meaning === undefined || catchAll === undefined) return undefined;
  if (!read.some(({ phase }) => phase === 'rcpt')) return undefined;
  const every = readCatchAll(catchAll);
  if (every === undefined) return undefined;
  return {
    kind,
    host,
    replies: read,
    meaning,
    catchAll: every,
    ...(contrast === undefined ? {} : { contrast }),
  };
}

/** Tells whether a mail host can have sent these codes (RFC 5321 section 4.2, RFC 3463 section 2). */
function isReply({ code, enhanced }: EvidenceMessage['replies'][number]): boolean {
  return code >= 200 && code < 600 && (enhanced === undefined || /^[245](?:\.\d{1,3}){2}$/.test(enhanced));
}

function readCatchAll({ kind, from, age_ms: age, meaning }: NonNullable<EvidenceMessage['catch_all']>) {
  const ageMs = age === undefined ? {} : { ageMs: age };
  if (kind === 'undetermined') return { kind, meaning };
  if (from === undefined) return undefined;
  if (kind === 'no') return { kind, from, ...ageMs };
  return from === 'random_probe' || from === 'memory' ? { kind, from, ...ageMs } : undefined;
}

export function writeLearned(entries: readonly Remembered[]): LearnedMessage[] {
  return entries.flatMap(({ kind, key, value, lifeMs }) =>
    // Facts about one egress address concern no other prober; a prober reports its own problems itself.
    kind === 'control' || kind === 'route' || kind === 'closure'
      ? []
      : [{ kind, key, value, life_ms: Math.min(Math.max(0, Math.round(lifeMs)), longestLifeMs) }],
  );
}

export function readLearned(entries: readonly LearnedMessage[]): Remembered[] {
  return entries.map(({ kind, key, value, life_ms: lifeMs }) => ({ kind, key, value, lifeMs }));
}
