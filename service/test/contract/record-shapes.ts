/** The fields of a record of each status, and their values: C14 to C21, C33, D25 to D38. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/mailproof.ts';
import { isObject } from './openapi-check.ts';

type Fields = Record<string, unknown>;

const alwaysThere = [
  'email',
  'status',
  'username',
  'domain',
  'is_valid_syntax',
  'mx_accepts_mail',
  'is_disposable',
  'is_role_account',
  'is_free_email',
  'mx_records',
  'verification_mode',
];
const judged = ['overall_score', 'is_safe_to_send', 'is_spamtrap'];
/** Fields that only a mail host can tell. */
const told = ['can_connect_smtp', 'has_inbox_full', 'is_deliverable', 'is_catch_all', 'is_disabled'];

type Rule = {
  fields: string[];
  score?: [least: number, most: number];
  deliverable?: boolean;
  safe?: boolean;
};

const complete = [...alwaysThere, ...judged, ...told];
const unasked = [...alwaysThere, ...judged];

const rules: Record<string, Rule> = {
  safe: { fields: complete, score: [90, 99], deliverable: true, safe: true },
  invalid: { fields: complete, score: [0, 0], deliverable: false, safe: false },
  disabled: { fields: complete, score: [5, 5], deliverable: false, safe: false },
  disposable: { fields: unasked, score: [10, 10], safe: false },
  inbox_full: { fields: complete, score: [20, 20], deliverable: false, safe: false },
  catch_all: { fields: complete, score: [40, 70], deliverable: true, safe: false },
  role_account: { fields: complete, score: [70, 90], deliverable: true, safe: true },
  spamtrap: { fields: unasked, score: [0, 0], safe: false },
  unknown: { fields: alwaysThere },
};

const notForBulk: Rule = { fields: complete, score: [20, 40], deliverable: true, safe: false };

/** Tells whether the address is a role that must not get bulk mail, by the engine's own list. */
function isForbiddenRole({ email }: Fields): boolean {
  const [localPart = ''] = String(email).toLowerCase().split('@');
  // In the sandbox a tag counts as a name as well.
  return localPart.split('+').some((name) => rolesNotForBulk.has(name));
}

const rolesNotForBulk = new Set(
  readFileSync(join(root, 'engine/src/lists/data/roles-not-for-bulk.txt'), 'utf8').trim().split('\n'),
);

function ruleOf(record: Fields): Rule {
  const isForbidden = record['status'] === 'role_account' && isForbiddenRole(record);
  const rule = isForbidden ? notForBulk : rules[String(record['status'])];
  assert.ok(rule !== undefined, `${String(record['status'])} is no status`);
  return rule;
}

/** Asserts the result of a single verification. */
export function assertResult(record: Fields, explained: boolean): void {
  const where = JSON.stringify(record);
  const rule = ruleOf(record);
  assert.deepEqual(fieldsOf(record), [...rule.fields, ...(explained ? ['explanation'] : [])].sort(), where);
  assertWhatIsSaid(record, rule);
  assertSignals(record);
  if (explained) assertExplanation(record['explanation']);
}

/** Asserts a record in the results of a task: a part of the same fields, and `is_catch_all` if that is the status. */
export function assertBulkRecord(record: Fields, explained: boolean): void {
  const where = JSON.stringify(record);
  const rule = ruleOf(record);
  const may = ['email', 'status', 'verification_mode', 'is_valid_syntax', 'mx_accepts_mail'];
  const scored = ['overall_score', 'is_safe_to_send', 'is_deliverable'];
  const expected = [
    // If its DNS failed, it is unknown whether the domain takes mail, and the field is absent.
    ...may.filter(
      (field) => field in record || field !== 'mx_accepts_mail' || record['status'] !== 'unknown',
    ),
    ...scored.filter((field) => rule.fields.includes(field)),
    ...(record['status'] === 'catch_all' ? ['is_catch_all'] : []),
    ...(explained ? ['explanation'] : []),
  ];
  assert.deepEqual(fieldsOf(record), expected.sort(), where);
  assertWhatIsSaid(record, rule);
  if (explained) assertExplanation(record['explanation']);
}

function assertWhatIsSaid(record: Fields, { score, deliverable, safe }: Rule): void {
  const where = JSON.stringify(record);
  assert.equal(record['verification_mode'], 'power', where);
  assert.equal(record['is_valid_syntax'], true, where);
  const found = Number(record['overall_score']);
  assert.ok(score === undefined || (found >= score[0] && found <= score[1]), where);
  assert.equal(record['is_deliverable'], deliverable, where);
  assert.equal(record['is_safe_to_send'], safe, where);
  if (record['status'] === 'catch_all') assert.equal(record['is_catch_all'], true, where);
}

/** Asserts that each signal that is present agrees with the status. */
function assertSignals(record: Fields): void {
  const where = JSON.stringify(record);
  const status = String(record['status']);
  const signals = { has_inbox_full: 'inbox_full', is_catch_all: 'catch_all', is_disabled: 'disabled' };
  for (const [field, meant] of Object.entries(signals)) {
    if (field in record) assert.equal(record[field], status === meant, `${field} in ${where}`);
  }
  // A trap at a domain that takes no mail is invalid, but still a trap.
  if ('is_spamtrap' in record && record['mx_accepts_mail'] === true)
    assert.equal(record['is_spamtrap'], status === 'spamtrap', where);
  if (status === 'disposable') assert.equal(record['is_disposable'], true, where);
  if (status === 'role_account') assert.equal(record['is_role_account'], true, where);
  if (status === 'safe') assert.equal(record['is_role_account'], false, where);
  assert.equal(
    String(record['email']).toLowerCase(),
    `${String(record['username'])}@${String(record['domain'])}`.toLowerCase(),
  );
  assertRecords(record['mx_records'], where);
}

/** Asserts host names in lower case without a dot at the end. */
function assertRecords(records: unknown, where: string): void {
  assert.ok(Array.isArray(records), where);
  for (const host of records) assert.match(String(host), /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/, where);
}

/** Asserts D62: the stage, a stable reason, whether and when to retry, the mail host, the replies. */
function assertExplanation(explanation: unknown): void {
  const where = JSON.stringify(explanation);
  assert.ok(isObject(explanation), where);
  assert.match(String(explanation['stage']), /^(?:syntax|lists|dns|smtp)$/, where);
  assert.match(String(explanation['reason']), /^[a-z][a-z0-9_]+$/, where);
  const { retry } = explanation;
  assert.ok(isObject(retry) && typeof retry['advised'] === 'boolean', where);
  assert.equal('after_seconds' in retry, retry['advised'], where);
  assert.ok(Array.isArray(explanation['replies']), where);
}

function fieldsOf(record: Fields): string[] {
  return Object.keys(record).sort();
}
