/**
 * How well replies are read and addresses are parsed, measured on labelled data that is not part of this
 * repository: `npm run accuracy -- REPLIES.jsonl… SYNTAX.jsonl`. A file of replies may also be one of our own sets
 * (`scripts/accuracy/replies/*.txt`). Every file of replies has to meet the goals. Ends
 * with 1 where a goal is missed, with 2 where the data is not there or not in the form it should have.
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { measureReplies } from './accuracy/measure-replies.ts';
import { measureSyntax } from './accuracy/measure-syntax.ts';
import { readLabelledAddresses, readLabelledReplies, readReplySet } from './labelled-rows.ts';

type Goal = { name: string; value: number; least?: number; most?: number };

const corpora = resolve(import.meta.dirname, '../../shared/corpora');
const developmentSets = ['smtp_replies_dev.jsonl', 'smtp_replies_dev2.jsonl', 'syntax_dev.jsonl'];
const given = process.argv.slice(2);
const ownSets = ['first', 'second', 'third', 'fourth'].map(
  (name) => `${import.meta.dirname}/accuracy/replies/${name}-set.txt`,
);
const paths = given.length > 0 ? given : [...ownSets, ...developmentSets.map((name) => `${corpora}/${name}`)];

process.exitCode = measure();

function measure(): 0 | 1 | 2 {
  const replies = paths
    .slice(0, -1)
    .map((path) => readRows(path, path.endsWith('.txt') ? readReplySet : readLabelledReplies));
  const addresses = paths.slice(-1).map((path) => readRows(path, readLabelledAddresses));
  const bad = [...replies, ...addresses].filter((rows) => rows.kind === 'bad');
  if (bad.length > 0 || replies.length === 0) {
    for (const { why } of bad) process.stderr.write(`accuracy: ${why}\n`);
    process.stderr.write('usage: npm run accuracy -- REPLIES.jsonl… SYNTAX.jsonl\n');
    return 2;
  }
  const met = [
    ...replies.filter(isRead).map(({ shown, rows }) => showReplies(shown, measureReplies(rows))),
    ...addresses.filter(isRead).map(({ shown, rows }) => showSyntax(shown, measureSyntax(rows))),
  ];
  return met.every(Boolean) ? 0 : 1;
}

type ReadRows<Row> = { kind: 'read'; shown: string; rows: Row[] };
type Rows<Row> = ReadRows<Row> | { kind: 'bad'; why: string };

function isRead<Row>(rows: Rows<Row>): rows is ReadRows<Row> {
  return rows.kind === 'read';
}

function readRows<Row>(path: string, read: (text: string) => Row[]): Rows<Row> {
  const shown = relative(process.cwd(), path);
  try {
    return { kind: 'read', shown, rows: read(readFileSync(path, 'utf8')) };
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = missing ? 'there is no such file' : error instanceof Error ? error.message : String(error);
    return { kind: 'bad', why: `${shown}: ${why}` };
  }
}

function showReplies(shown: string, measured: ReturnType<typeof measureReplies>): boolean {
  say(`replies of mail hosts (${shown}, ${measured.rows} rows)\n`);
  const met = showGoals([
    { name: 'accuracy', value: measured.accuracy },
    { name: 'lenient accuracy', value: measured.lenient, least: 0.98 },
    { name: 'macro-F1', value: measured.macroF1, least: 0.95 },
    { name: 'lenient macro-F1', value: measured.lenientMacroF1 },
    { name: 'false-invalid', value: measured.falseInvalid, most: 0 },
  ]);
  say('\n  label                    rows  precision  recall     F1');
  for (const [label, { support, precision, recall, f1 }] of Object.entries(measured.perLabel)) {
    say(
      `  ${label.padEnd(24)} ${String(support).padStart(4)}  ${figure(precision)}      ${figure(recall)}  ${figure(f1)}`,
    );
  }
  for (const { row, got } of measured.misses) {
    say(
      `  missed: ${row.code} ${row.enhanced ?? ''} ${oneLine(row.text)}\n          is ${row.label}, read as ${got.label} (${got.reason})`,
    );
  }
  say('');
  return met;
}

function showSyntax(shown: string, measured: ReturnType<typeof measureSyntax>): boolean {
  say(`addresses (${shown}, ${measured.valid + measured.invalid} rows scored)\n`);
  const met = showGoals([
    {
      name: `valid accepted (${measured.validAccepted} of ${measured.valid})`,
      value: share(measured.validAccepted, measured.valid),
      least: 1,
    },
    {
      name: `invalid refused (${measured.invalidRefused} of ${measured.invalid})`,
      value: share(measured.invalidRefused, measured.invalid),
      least: 0.99,
    },
  ]);
  for (const { email, expected, answer } of measured.misses) {
    say(`  missed: ${JSON.stringify(email)} is ${expected ? 'valid' : 'invalid'}, answered ${answer}`);
  }
  return met;
}

function showGoals(goals: readonly Goal[]): boolean {
  const isMet = ({ value, least = -Infinity, most = Infinity }: Goal) => value >= least && value <= most;
  for (const goal of goals) {
    const bound =
      goal.least === undefined ? (goal.most === undefined ? '' : `≤ ${goal.most}`) : `≥ ${goal.least}`;
    const aim = bound === '' ? '' : `  goal ${bound}${isMet(goal) ? '' : '  MISSED'}`;
    say(`  ${goal.name.padEnd(30)} ${figure(goal.value)}${aim}`);
  }
  return goals.every(isMet);
}

function figure(value: number): string {
  return value.toFixed(3);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function oneLine(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
