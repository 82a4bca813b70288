import type { Explanation, VerificationResult } from '@mailproof/client';
import { counted, elapsed, roughly } from '../../parts/format.ts';
import { reasonSentence, statusWords } from '../../parts/statuses.ts';

/** One finding, in the order of the verification. */
type Step = {
  kind: 'address' | 'lists' | 'dns' | 'host' | 'verdict';
  title: string;
  lines: string[];
  /** The replies of the mail host, each with our command. */
  exchanges: Exchange[];
  /** This step decided the verdict. */
  decides: boolean;
};

export type Exchange = { asked: string; reply: string };

type Explained = Pick<
  VerificationResult,
  'email' | 'status' | 'username' | 'domain' | 'mx_records' | 'mx_accepts_mail' | 'is_role_account'
> &
  Pick<VerificationResult, 'is_free_email' | 'is_disposable' | 'is_spamtrap' | 'explanation'>;

/** Returns the evidence step by step: DNS, the server, its replies, and their meaning. */
export function evidenceSteps(result: Explained): Step[] {
  const { explanation } = result;
  if (explanation === undefined) return [];
  const decided = explanation.stage;
  const steps: (Omit<Step, 'decides' | 'exchanges'> & { exchanges?: Exchange[]; stage: string })[] = [
    { kind: 'address', stage: 'syntax', title: 'The address', lines: addressLines(result, explanation) },
    { kind: 'dns', stage: 'dns', title: 'DNS', lines: dnsLines(result, explanation) },
    { kind: 'lists', stage: 'lists', title: 'Lists', lines: listLines(result, explanation) },
    {
      kind: 'host',
      stage: 'smtp',
      title: 'The mail server',
      lines: hostLines(explanation),
      exchanges: explanation.replies.map((reply) => exchangeOf(reply, result)),
    },
    { kind: 'verdict', stage: '', title: 'Meaning', lines: verdictLines(result, explanation) },
  ];
  return steps
    .filter(({ lines }) => lines.length > 0)
    .map(({ stage, exchanges = [], ...step }) => ({ ...step, exchanges, decides: stage === decided }));
}

function addressLines(
  { username, domain, is_role_account: isRole, is_free_email: isFree }: Explained,
  { not_for_bulk: notForBulk, is_machine: isMachine }: Explanation,
): string[] {
  const parts =
    username === undefined || domain === undefined
      ? []
      : [`The address is well-formed: mailbox ${username}, domain ${domain}.`];
  return [
    ...parts,
    ...(isRole === true ? [`${username ?? 'The mailbox'} is a role rather than a person.`] : []),
    ...(notForBulk === true ? ['Do not send bulk mail to this role.'] : []),
    ...(isMachine === true ? ['A program made this address for one message; no person reads it.'] : []),
    ...(isFree === true ? ['The domain belongs to a free email provider.'] : []),
  ];
}

function dnsLines(
  { domain = 'the domain', mx_accepts_mail: takesMail, mx_records: hosts = [] }: Explained,
  { stage, reason, parked, timings_ms: timings }: Explanation,
): string[] {
  const took = timings.dns === undefined ? '' : ` The lookup took ${elapsed(timings.dns)}.`;
  if (stage === 'dns') return [`${reasonSentence(reason)}${took}`];
  if (takesMail !== true) return [];
  if (hosts.length === 0) return [`${domain} accepts mail.${took}`];
  if (hosts.length === 1 && hosts[0] === domain)
    return [`${domain} has no MX record, so its mail goes to the domain itself.${took}`];
  return [
    `${domain} has ${counted(hosts.length, 'mail server')}${hosts.length > 1 ? ', in this order' : ''}: ${hosts.join(', ')}.${took}`,
    ...(parked === true ? ['The domain is parked: its mail goes to a service for unused domains.'] : []),
  ];
}

function listLines(
  { is_disposable: isDisposable }: Explained,
  { stage, reason, is_relay: isRelay }: Explanation,
): string[] {
  if (stage === 'lists') return [`${reasonSentence(reason)} No mail server was contacted.`];
  if (isDisposable === true) return ['The domain belongs to a disposable-address service.'];
  return isRelay === true
    ? ['The domain belongs to a privacy relay, which forwards mail to the mailbox of its owner.']
    : [];
}

function hostLines(explanation: Explanation): string[] {
  const {
    stage,
    mail_host: host,
    replies,
    timings_ms: timings,
    visits = [],
    asked_at: askedAt,
  } = explanation;
  if (host === undefined) return stage === 'smtp' ? ['No mail server was asked.'] : [];
  if (askedAt !== undefined)
    return [`${host} answered at ${askedAt}, a moment before this check, so we did not ask again.`];
  const took = timings.smtp === undefined ? '' : ` for ${elapsed(timings.smtp)}`;
  return [
    replies.length === 0
      ? `We contacted ${host} and got no readable reply.`
      : `We talked to ${host}${took}. No message was sent.`,
    ...(visits.length > 1 ? [`The server deferred us at first. We asked ${visits.length} times.`] : []),
  ];
}

const asked: Record<Explanation['replies'][number]['phase'], (who: string) => string> = {
  connect: () => 'We connected',
  banner: () => 'It greeted us',
  ehlo: () => 'We introduced ourselves (EHLO)',
  starttls: () => 'We asked for encryption (STARTTLS)',
  mail: () => 'We named a sender (MAIL FROM)',
  rcpt: (who) => `We asked whether it accepts mail for ${who} (RCPT TO)`,
  random_rcpt: () => 'We asked the same about a made-up address',
  rset: () => 'We reset the session (RSET)',
  quit: () => 'We said goodbye (QUIT)',
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
  const why = stage === 'smtp' ? [reasonSentence(reason)] : [];
  const again = retry.advised
    ? [
        retry.after_seconds === undefined
          ? 'Try again later.'
          : `Try again in ${roughly(retry.after_seconds)}.`,
      ]
    : [];
  return [...why, statusWords[status].meaning, ...again];
}
