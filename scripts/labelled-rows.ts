/** Reads labelled data: a JSON object a line, or sets of our own. Malformed lines are refused. */
import type { measureReplies } from './accuracy/measure-replies.ts';
import type { measureSyntax } from './accuracy/measure-syntax.ts';

export type LabelledReply = Parameters<typeof measureReplies>[0][number];
export type LabelledAddress = Parameters<typeof measureSyntax>[0][number];

type Label = LabelledReply['label'];

const labels: readonly Label[] = [
  'accepted',
  'mailbox_not_exist',
  'mailbox_full',
  'mailbox_disabled',
  'greylisted_or_temporary',
  'blocked_or_policy',
  'other',
];

export function readLabelledReplies(text: string): LabelledReply[] {
  return rowsOf(text).map(({ row, number }) => {
    const { id, code, text: words, label, alt_labels: others = [] } = row;
    const enhanced = row['enhanced'] ?? undefined;
    const provider = row['provider'] ?? undefined;
    if (typeof code !== 'number' || typeof words !== 'string' || !isLabel(label)) throw badRow(number);
    if (!isTextOrNone(enhanced) || !isTextOrNone(provider)) throw badRow(number);
    if (!Array.isArray(others) || !others.every(isLabel)) throw badRow(number);
    return { id: String(id), code, enhanced, text: words, provider, label, altLabels: others };
  });
}

/**
 * Replies as a server sends them, one a line, below headings with their label and the other defensible ones:
 * `== mailbox_not_exist | other`. `{id}` before a reply names the provider; lines that begin with `#` are comments.
 */
export function readReplySet(text: string): LabelledReply[] {
  let heading: Label[] = [];
  const rows: LabelledReply[] = [];
  text.split('\n').forEach((line, index) => {
    if (line === '' || line.startsWith('#')) return;
    if (line.startsWith('== ')) heading = readHeading(line, index + 1);
    else rows.push(readSetRow(line, index + 1, heading));
  });
  return rows;
}

function readHeading(line: string, number: number): Label[] {
  const names = line.slice('== '.length).split(' | ');
  if (!names.every(isLabel)) throw badRow(number);
  return names;
}

const setRow =
  /^(?:\{(?<provider>\w+)\} )?(?<code>\d{3})[ -](?:(?<enhanced>\d\.\d{1,3}\.\d{1,3}) )?(?<words>.*)$/u;

function readSetRow(line: string, number: number, [label, ...altLabels]: Label[]): LabelledReply {
  const groups = setRow.exec(line)?.groups;
  if (groups === undefined || label === undefined) throw badRow(number);
  const { provider, code, enhanced, words = '' } = groups;
  return { id: line, code: Number(code), enhanced, text: words, provider, label, altLabels };
}

export function readLabelledAddresses(text: string): LabelledAddress[] {
  return rowsOf(text).map(({ row, number }) => {
    const { email, expected_valid_for_mailing: expected } = row;
    if (typeof email !== 'string' || (typeof expected !== 'boolean' && expected !== null))
      throw badRow(number);
    return { email, expected_valid_for_mailing: expected };
  });
}

function rowsOf(text: string): { row: Record<string, unknown>; number: number }[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => ({ row: readObject(line, number), number }));
}

function readObject(line: string, number: number): Record<string, unknown> {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    throw badRow(number);
  }
  if (typeof row !== 'object' || row === null) throw badRow(number);
  return { ...row };
}

function badRow(number: number): Error {
  return new Error(`line ${number} is not a labelled row`);
}

function isLabel(value: unknown): value is Label {
  return labels.some((label) => label === value);
}

function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
