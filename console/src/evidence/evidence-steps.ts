import type { Explanation, VerificationResult } from '@mailproof/client';
import { counted, duration, elapsed } from '../parts/format.ts';
import { statusWords } from '../parts/statuses.ts';
import { reasonSentence } from '../story/reason-sentences.ts';

/** One thing that was found out, in the order it was. */
type Step = {
  kind: 'address' | 'lists' | 'dns' | 'host' | 'verdict';
  title: string;
  lines: string[];
  /** What the mail host replied, and to what. */
  exchanges: Exchange[];
  /** Whether this step decided. */
  decides: boolean;
};

export type Exchange = { asked: string; reply: string };

type Explained = Pick<
  VerificationResult,
  'email' | 'status' | 'username' | 'domain' | 'mx_records' | 'mx_accepts_mail' | 'is_role_account'
> &
  Pick<VerificationResult, 'is_free_email' | 'is_disposable' | 'is_spamtrap' | 'explanation'>;

/** The evidence as a story: what DNS said, which host was asked, what it replied, why that means what it means. */
export function evidenceSteps(result: Explained): Step[] {
  const { explanation } = result;
  if (explanation === undefined) return [];
  const decided = explanation.stage;
  const steps: (Omit<Step, 'decides' | 'exchanges'> & { exchanges?: Exchange[]; stage: string })[] = [
    { kind: 'address', stage: 'syntax', title: 'The address', lines: addressLines(result) },
    { kind: 'dns', stage: 'dns', title: 'What DNS said', lines: dnsLines(result, explanation) },
    { kind: 'lists', stage: 'lists', title: 'Lists', lines: listLines(result, explanation) },
    {
      kind: 'host',
      stage: 'smtp',
      title: 'The mail host',
      lines: hostLines(explanation),
      exchanges: explanation.replies.map((reply) => exchangeOf(reply, result)),
    },
    { kind: 'verdict', stage: '', title: 'What it means', lines: verdictLines(result, explanation) },
  ];
  return steps
    .filter(({ lines }) => lines.length > 0)
    .map(({ stage, exchanges = [], ...step }) => ({ ...step, exchanges, decides: stage === decided }));
}

function addressLines({
  username,
  domain,
  is_role_account: isRole,
  is_free_email: isFree,
}: Explained): string[] {
  const parts =
    username === undefined || domain === undefined
      ? []
      : [`It is well-formed: the mailbox ${username} at the domain ${domain}.`];
  return [
    ...parts,
    ...(isRole === true ? [`${username ?? 'The name'} stands for a function, not for a person.`] : []),
    ...(isFree === true
      ? ['The domain belongs to a provider where anyone can have a mailbox for free.']
      : []),
  ];
}

function dnsLines(
  { domain = 'the domain', mx_accepts_mail: takesMail, mx_records: hosts = [] }: Explained,
  { stage, reason, timings_ms: timings }: Explanation,
): string[] {
  const took = timings.dns === undefined ? '' : ` Asking took ${elapsed(timings.dns)}.`;
  if (stage === 'dns') return [`${sentence(reasonSentence(reason))}${took}`];
  if (takesMail !== true) return [];
  if (hosts.length === 0) return [`${domain} takes mail.${took}`];
  if (hosts.length === 1 && hosts[0] === domain)
    return [`${domain} names no mail host, so its mail goes to the domain itself.${took}`];
  return [
    `${domain} names ${counted(hosts.length, 'mail host')}${hosts.length > 1 ? ', in this order' : ''}: ${hosts.join(', ')}.${took}`,
  ];
}

function listLines({ is_disposable: isDisposable }: Explained, { stage, reason }: Explanation): string[] {
  if (stage === 'lists')
    return [`${sentence(reasonSentence(reason))} So no mail host was asked, and none knows of this check.`];
  return isDisposable === true ? ['The domain belongs to a disposable-address service.'] : [];
}

function hostLines(explanation: Explanation): string[] {
  const { stage, mail_host: host, replies, timings_ms: timings, visits = [] } = explanation;
  if (host === undefined) return stage === 'smtp' ? ['No mail host was asked.'] : [];
  const took = timings.smtp === undefined ? '' : `, for ${elapsed(timings.smtp)}`;
  return [
    replies.length === 0
      ? `We turned to ${host} and got no reply that could be read.`
      : `We spoke with ${host}${took}. No message was sent.`,
    ...(visits.length > 1 ? [`It put us off at first and was asked ${visits.length} times.`] : []),
  ];
}

const asked: Record<Explanation['replies'][number]['phase'], (who: string) => string> = {
  connect: () => 'We connected',
  banner: () => 'It greeted us',
  ehlo: () => 'We introduced ourselves',
  starttls: () => 'We asked for encryption',
  mail: () => 'We named a sender',
  rcpt: (who) => `We asked: would you take mail for ${who}?`,
  random_rcpt: () => 'We asked the same for a name that nobody has',
  rset: () => 'We began anew',
  quit: () => 'We said goodbye',
};

function exchangeOf(
  { phase, code, enhanced, text }: Explanation['replies'][number],
  { email }: Explained,
): Exchange {
  const known = Object.hasOwn(asked, phase) ? asked[phase](email) : phase;
  // Most hosts repeat the enhanced code at the head of their text.
  const status = enhanced === undefined || text.startsWith(enhanced) ? '' : `${enhanced} `;
  return { asked: known, reply: `${code} ${status}${text}`.trim() };
}

function verdictLines({ status }: Explained, { stage, reason, retry }: Explanation): string[] {
  const why = stage === 'smtp' ? [sentence(reasonSentence(reason))] : [];
  const again = retry.advised
    ? [
        retry.after_seconds === undefined
          ? 'Asking again later may tell more.'
          : `Asking again after ${duration(retry.after_seconds)} may tell more.`,
      ]
    : [];
  return [...why, statusWords[status].meaning, ...again];
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
