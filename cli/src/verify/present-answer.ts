import { reasonText } from '@mailproof/client';
import type { Explanation, Verdict, VerdictStatus } from '@mailproof/engine';
import type { Colour, Terminal } from '../terminal.ts';
import type { Answer } from './verify-all.ts';
import { printable, wrap } from '../present/text.ts';

const statusColours: Readonly<Record<VerdictStatus, Colour>> = {
  safe: 'green',
  role_account: 'yellow',
  catch_all: 'yellow',
  inbox_full: 'yellow',
  unknown: 'cyan',
  invalid: 'red',
  disabled: 'red',
  disposable: 'red',
  spamtrap: 'red',
};

/** The signals in words, in the order in which the evidence is gathered. */
const signals = {
  is_disposable: 'disposable',
  is_spamtrap: 'spam trap',
  is_role_account: 'role account',
  is_free_email: 'free provider',
  mx_accepts_mail: 'domain accepts mail',
  can_connect_smtp: 'mail server reached',
  is_deliverable: 'deliverable',
  is_catch_all: 'catch-all',
  has_inbox_full: 'full',
  is_disabled: 'disabled',
  is_safe_to_send: 'safe to send',
} as const;

const labelWidth = 11;

/** One line for one of many: status, score, address, reason. */
export function presentShort(answer: Answer, { paint }: Terminal): string {
  const [email, status] =
    answer.kind === 'verdict' ? [answer.verdict.email, answer.verdict.status] : [answer.email, answer.error];
  const score =
    answer.kind === 'verdict' && 'overall_score' in answer.verdict
      ? String(answer.verdict.overall_score)
      : '';
  const meant = answer.explanation?.did_you_mean;
  const hint = meant === undefined ? '' : `, did you mean ${meant}?`;
  const reason =
    answer.explanation === undefined ? '' : paint('dim', `  ${answer.explanation.reason}${hint}`);
  return `${paint(colourOf(answer), status.replace('verification_', '').padEnd(13))} ${score.padStart(3)}  ${printable(email)}${reason}\n`;
}

/** Presents all evidence: the findings, the server asked, its replies and their meaning. */
export function presentEvidence(answer: Answer, terminal: Terminal): string {
  const lines = answer.kind === 'verdict' ? verdictLines(answer, terminal) : errorLines(answer, terminal);
  return `${lines.join('\n')}\n`;
}

function verdictLines({ verdict, explanation }: Answer & { kind: 'verdict' }, terminal: Terminal): string[] {
  const { paint } = terminal;
  const score = 'overall_score' in verdict ? `  score ${verdict.overall_score}` : '';
  const status = paint(statusColours[verdict.status], verdict.status);
  return [
    `${paint('bold', printable(verdict.email))}  ${status}${score}`,
    ...row('why', whyText(explanation.reason), terminal),
    ...hintRows(explanation, terminal),
    ...signalRows(verdict, terminal),
    ...routeRows(verdict, terminal),
    ...askedRows(explanation, terminal),
    ...lastRows(explanation, terminal),
  ];
}

function errorLines({ email, error, explanation }: Answer & { kind: 'error' }, terminal: Terminal): string[] {
  const { paint } = terminal;
  const head = `${paint('bold', printable(email))}  ${paint('red', error)}`;
  if (explanation === undefined) return [head];
  return [head, ...row('why', whyText(explanation.reason), terminal), ...lastRows(explanation, terminal)];
}

function hintRows(explanation: Explanation, terminal: Terminal): string[] {
  const { did_you_mean: meant, asked_at: askedAt, parked, is_relay, not_for_bulk, is_machine } = explanation;
  const hint = (holds: true | undefined, title: string, text: string): string[] =>
    holds === undefined ? [] : row(title, text, terminal);
  return [
    ...(meant === undefined ? [] : row('perhaps', `did you mean ${meant}?`, terminal)),
    ...(askedAt === undefined ? [] : row('asked', `at ${askedAt}, and not again`, terminal)),
    ...hint(parked, 'parked', 'the mail of the domain goes to a service for unused domains'),
    ...hint(is_relay, 'relay', 'the mail is forwarded to a mailbox that its owner keeps private'),
    ...hint(not_for_bulk, 'role', 'nobody should write to this role in bulk'),
    ...hint(is_machine, 'machine', 'a program made this address for one message; nobody reads it'),
  ];
}

/** The sentence for a person, and the code that programs go by. */
function whyText(reason: string): string {
  const text = reasonText(reason);
  return text === undefined ? reason : `${text} (${reason})`;
}

/** A signal without evidence is absent, never false, and is listed as unknown. */
function signalRows(verdict: Verdict, terminal: Terminal): string[] {
  const known: Readonly<Record<string, unknown>> = verdict;
  const named = (wanted: boolean | undefined) =>
    Object.entries(signals)
      .filter(([field]) => known[field] === wanted)
      .map(([, words]) => words)
      .join(', ');
  return [
    ...row('is', named(true), terminal),
    ...row('is not', named(false), terminal),
    ...row('unknown', named(undefined), terminal),
  ];
}

function routeRows(verdict: Verdict, terminal: Terminal): string[] {
  const hosts = verdict.mx_records ?? [];
  return hosts.length === 0 ? [] : row('mail hosts', hosts.join(', '), terminal);
}

function askedRows({ mail_host, replies }: Explanation, terminal: Terminal): string[] {
  const rows = mail_host === undefined ? [] : row('asked', mail_host, terminal);
  const indent = ' '.repeat(2 + labelWidth);
  for (const { phase, code, enhanced, text } of replies) {
    const reply = [String(code), ...(enhanced === undefined ? [] : [enhanced]), text].join(' ');
    const first = `${indent}${phase.padEnd(labelWidth)} `;
    rows.push(
      ...wrap(printable(reply), { columns: terminal.columns, first, indent: ' '.repeat(first.length) }),
    );
  }
  return rows;
}

function lastRows({ retry, timings_ms: { dns, smtp, total } }: Explanation, terminal: Terminal): string[] {
  const stages = [
    ...(dns === undefined ? [] : [`DNS ${dns}`]),
    ...(smtp === undefined ? [] : [`SMTP ${smtp}`]),
  ];
  const took = `${total} ms${stages.length === 0 ? '' : ` (${stages.join(', ')})`}`;
  return [
    ...(retry.advised ? row('retry', inWords(retry.after_seconds), terminal) : []),
    ...row('took', took, terminal),
  ];
}

function inWords(seconds: number | undefined): string {
  if (seconds === undefined) return 'later';
  if (seconds < 3_600) return `in ${Math.ceil(seconds / 60)} min`;
  return `in ${Math.ceil(seconds / 3_600)} h`;
}

function row(label: string, text: string, { columns, paint }: Terminal): string[] {
  if (text === '') return [];
  const indent = ' '.repeat(2 + labelWidth);
  const [first = '', ...others] = wrap(text, { columns, first: indent, indent });
  return [`  ${paint('dim', label.padEnd(labelWidth))}${first.slice(indent.length)}`, ...others];
}

function colourOf(answer: Answer): Colour {
  return answer.kind === 'verdict' ? statusColours[answer.verdict.status] : 'red';
}
