/**
 * The contract suite: every line of `docs/contract.md`, black-box, against the service as its user starts it
 * (`./mailproof serve`, in one file `npm start`), wired to a world on loopback. The command line creates accounts, keys
 * and credits while the service runs. No assertion knows the service's code.
 *
 * The client that the tests use holds every answer against the same rules: `openapi-check.ts` (status, headers and body
 * as the served OpenAPI document says), `every-answer.ts` (request id unique, credits header, error body to the byte,
 * the header that belongs to the status, shapes of tasks) and `record-shapes.ts` (the exact fields of a record of each
 * status, and their values).
 *
 * The table below names the tests that hold each line. Tests hold the table: it has every line of the page and no
 * other, and every test that it names exists.
 *
 * Three promises cannot be seen from outside and are tested elsewhere: that an idempotency key is kept for 24 hours
 * (the tests of idempotency move the clock), 503 under overload (the tests of admission), and outbound port 25 known to
 * be blocked (the engine's own world).
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../support/mailproof.ts';

/** A line of the contract with its holders: tests by file and name (or its beginning), or checks of every answer. */
type Line = [line: string, ...heldBy: string[]];

const everyAnswer = 'every-answer.ts';
const shapes = 'record-shapes.ts';

const contract: Line[] = [
  ['C1: single carries the result directly', 'verdicts: an address that is accepted where a random one'],
  ['C2: bulk is created, polled, completed', 'tasks: a greylisted address is unknown in single'],
  ['C3: the version is in the path', 'refusals: not_found on every path'],
  ['C4: bodies are JSON', 'bodies: 400: ', everyAnswer],
  ['C5: the key is a bearer token', 'refusals: with another scheme'],
  ['C6: missing, invalid, deleted: 401', 'refusals: without a key', 'refusals: a deleted key'],
  ['C7: no plan: 403 on creation', 'refusals: an account without a plan', 'refusals: reading needs no plan'],
  ["C8: another account's task is 404", 'refusals: task_not_found for'],
  ['C9: at most 254 characters', 'bodies: 254 characters are taken', 'bodies: characters are code points'],
  ['C10: 200 with the result', everyAnswer],
  ['C11: an id of its own for each request', everyAnswer, 'client.ts'],
  ['C12: X-Credits-Used is 0 or 1', everyAnswer, 'verdicts: every conclusive answer was charged'],
  ['C13: any other method is 405', 'refusals: every method but'],
  ['C14: fields and types of a result', shapes, 'verdicts: an address that is accepted where a random one'],
  ['C15: the nine statuses', 'verdicts: row 1: a domain', 'verdicts: row 10'],
  ['C16: the mode is power', shapes],
  ['C17: a signal that was not obtained is absent', shapes],
  ['C18: safe, invalid, catch_all carry every field', shapes],
  ['C19: invalid has score 0, not safe, not deliverable', shapes, 'verdicts: row 4'],
  ['C20: catch_all is deliverable and not safe', shapes, 'verdicts: row 7'],
  ['C21: unknown carries only these', shapes, 'verdicts: row 10'],
  ['C22: 1 to 100 addresses', 'tasks: 100 copies of one address', 'bodies: a name may have 25'],
  ['C23: a name of up to 25 characters', 'bodies: a name may have 25'],
  ['C24: the creation response', everyAnswer, 'tasks: addresses are trimmed'],
  ['C25: duplicates are removed and not charged twice', 'tasks: as many as were submitted'],
  ['C26: a task has a request id', everyAnswer],
  ['C27: X-Credits-Used at creation and after settlement', 'tasks: a greylisted address'],
  ['C28: the progress record', everyAnswer, 'deadlines: a task that no worker has claimed'],
  ['C29: the name has the prefix', 'tasks: is the submitted one after the prefix'],
  ['C30: the three states', 'deadlines: a task that no worker has claimed', 'tasks: a greylisted address'],
  ['C31: progress from 0 to 100', everyAnswer],
  ['C32: results only when completed', everyAnswer, 'tasks: a greylisted address'],
  ['C33: the bulk record', shapes, 'tasks: every status of the verdict table has its record'],
  ['C34: completed when all are processed, credits settled', 'tasks: a greylisted address'],
  ['C35: reading is free', 'tasks: reading is free', 'refusals: task_not_found for'],
  ['C36: the shape of errors', everyAnswer],
  ['C37: 400 invalid_email', 'bodies: 400: '],
  ['C38: 429 insufficient_credits', 'refusals: credits before work', 'tasks: as many as were submitted'],
  ['C39: 500 verification_failed', 'sandbox: in bulk each answers the same', 'sandbox: the page has a row'],
  ['C40: 502 verification_unavailable', 'verdicts: DNS that fails is 502'],
  ['C41: 503 service_unavailable', 'going-down: 503 while the database'],
  ['C42: 504 verification_timeout', 'deadlines: 504 verification_timeout'],
  ['C43: 400 invalid_batch', 'bodies: 400: '],
  [
    'C44: 404: unknown, expired, of another account',
    'refusals: task_not_found for',
    'deadlines: a completed task expires',
  ],
  ['C45: 429 on creation', 'tasks: as many as were submitted'],
  ['C46: 503 on creation', 'going-down: SIGTERM: what is under way'],
  ['C47: one credit a conclusive single', 'verdicts: every conclusive answer was charged'],
  ['C48: an inconclusive result is free', everyAnswer, 'verdicts: a mail host that fails us'],
  [
    'C49: returned when rejected, unavailable, failed, timed out',
    'verdicts: DNS that fails',
    'deadlines: 504',
    'refusals: a refused request',
  ],
  ['C50: a task reserves as many as were submitted', 'tasks: as many as were submitted'],
  ['C51: bulk credits returned and settled', 'tasks: as many as were submitted', 'tasks: every status'],
  ['D1: route and method first, with Allow', 'refusals: method before key', 'refusals: every method but'],
  ['D2: drain before key', 'going-down: SIGTERM: what is under way'],
  ['D3: key before plan and body', 'refusals: key before plan and body'],
  ['D4: plan before body', 'refusals: plan before body'],
  ['D5: body before credits', 'refusals: body before credits'],
  ['D6: idempotency before credits', 'refusals: idempotency before credits'],
  ['D7: credits before work', 'refusals: credits before work'],
  ['D8: a refused request touches nothing', 'refusals: a refused request sends no packet'],
  [
    'D9: GET: key, then task; no plan',
    'refusals: key before task on reading',
    'refusals: reading needs no plan',
  ],
  ['D10: unknown paths are 404 not_found', 'refusals: not_found on every path'],
  ['D11: ids and credits on every response, error bodies exact', everyAnswer],
  ['D12: JSON only, 256 KiB, no encoding, an object', 'bodies: 400: ', 'bodies: exactly 256 KiB'],
  ['D13: parameters of the type are allowed', 'bodies: parameters of the content type'],
  ['D14: a hundred longest addresses, fully escaped, fit', 'bodies: 100 entries of the greatest length'],
  ['D15: email missing, of another type, empty, too long, no address', 'bodies: 400: '],
  ['D16: emails and name', 'bodies: 400: ', 'bodies: a name may have 25'],
  ['D17: what is no address does not fail the batch', 'bodies: what is no address'],
  [
    'D18: unknown properties are ignored, white space is trimmed',
    'bodies: exactly 256 KiB',
    'bodies: white space around',
  ],
  ['D19: characters are code points', 'bodies: characters are code points', 'bodies: a name may have 25'],
  ['D20: the sum of the counts', everyAnswer, 'tasks: addresses are trimmed'],
  [
    'D21: trim, reject, deduplicate; case and IDN; first spelling',
    'tasks: addresses are trimmed',
    'tasks: with an A-label first',
  ],
  ['D22: rejected are not in results; nothing to process', 'tasks: with nothing to process'],
  ['D23: the name that was not submitted', 'tasks: is the time of creation'],
  ['D24: progress_percentage', everyAnswer, 'tasks: a greylisted address'],
  ['D25: row 1', 'verdicts: row 1: a domain', 'verdicts: row 1 outranks row 2'],
  ['D26: row 2', 'verdicts: row 2'],
  ['D27: row 3', 'verdicts: row 3'],
  ['D28: row 4', 'verdicts: row 4'],
  ['D29: row 5', 'verdicts: row 5'],
  ['D30: row 6', 'verdicts: row 6'],
  ['D31: row 7', 'verdicts: row 7'],
  ['D32: row 8', 'verdicts: row 8'],
  ['D33: row 9', 'verdicts: row 9', 'verdicts: an address that is accepted'],
  ['D34: row 10', 'verdicts: row 10'],
  ['D35: scores, deliverable and safe by status', shapes],
  ['D36: what was not looked at is absent', shapes],
  [
    'D37: mx_records in order, lower case; implicit MX',
    'verdicts: mx_records are in order',
    'verdicts: without MX',
  ],
  ['D38: username and domain', 'verdicts: username and domain are as submitted'],
  ['D39: catch-all undetermined is unknown', 'verdicts: accepted, but whether made-up addresses are too'],
  [
    'D40: a resolver that denies large providers is at fault',
    'denying-resolver: while it denies what exists',
    'denying-resolver: in a task',
  ],
  ['D41: conclusive is every status but unknown', 'tasks: every status', everyAnswer],
  ['D42: reading a reply', 'verdicts: quota words outrank', 'verdicts: a 4xx is never'],
  [
    "D43: the remote's fault is unknown",
    'verdicts: a mail host that fails us',
    'verdicts: a mail host at forbidden',
  ],
  ['D44: DNS fails', 'verdicts: DNS that fails'],
  ['D45: resolver down', 'first-minute: the live key is answered too'],
  ['D46: deadline', 'deadlines: 504'],
  [
    'D47: draining, database not answering, Retry-After',
    'going-down: SIGTERM',
    'going-down: 503',
    everyAnswer,
  ],
  ['D48: a defect of ours', 'sandbox: the page has a row'],
  ['D49: in a task no address fails it; greylisting is waited for', 'tasks: a greylisted address'],
  ['D50: MAILPROOF_PACING=off lifts the limits', 'verdicts: with MAILPROOF_PACING=off'],
  [
    'D51: waiting, running, completed',
    'deadlines: a task that no worker has claimed',
    'tasks: a greylisted address',
  ],
  ['D52: a task outlives its worker', 'going-down: a task in the middle survives'],
  ['D53: completed within its deadline', 'deadlines: a task is completed at its deadline'],
  ['D54: expired is 404 and erased', 'deadlines: a completed task expires'],
  ['D55: task_id is a random UUID', everyAnswer],
  ['D56: available + reserved + spent = granted', 'tasks: a greylisted address', 'tasks: when all is done'],
  ['D57: submitted have to be available, the rest returns at once', 'tasks: as many as were submitted'],
  ['D58: X-Credits-Used held and charged', 'tasks: a greylisted address', 'tasks: with nothing to process'],
  [
    'D59: Idempotency-Key replays',
    'idempotency: a repeat gets the first answer',
    'idempotency: twenty at once',
  ],
  ['D60: per account', 'idempotency: keys belong to an account'],
  [
    'D61: 409 and 422',
    'idempotency: 409',
    'idempotency: 422 idempotency_mismatch',
    'idempotency: 422 with another list',
  ],
  ['D62: explain on both, never without', 'verdicts: explain=true', 'tasks: explain=true', shapes],
  [
    'D63: test keys',
    'sandbox: no credit was moved',
    'sandbox: in bulk',
    'refusals: a test key of such an account',
  ],
  [
    'D64: npm start, the printed keys, the curl',
    'first-minute: npm start prints',
    'going-down: the keys are printed',
  ],
  [
    'D65: a bad setting stops the start with one line',
    'first-minute: a bad setting',
    'first-minute: the port is taken',
  ],
  ['D66: MAILPROOF_IP_PROFILE', 'reuse: the log says in one line'],
  ['D67: MAILPROOF_REUSE_MS', 'reuse: four calls at once', 'reuse: a call after that'],
  [
    'D68: the pages /healthz, /readyz, /openapi.json, /docs',
    'first-minute: /healthz',
    'first-minute: /openapi.json',
    'first-minute: /docs',
  ],
  [
    'D69: the pages of an account: balance, ledger, use, tasks, keys',
    'account: a verification shows in balance',
    'account: a task shows in the list',
    'account: the statement adds up',
    'account: keys are made, named and deleted',
  ],
  [
    'D70: sessions of browsers',
    'account: signs in with a key',
    'account: stays signed in',
    'account: is slowed when it guesses',
  ],
];

test('the table has every line of docs/contract.md once, in order, and no other', () => {
  const page = readFileSync(join(root, 'docs/contract.md'), 'utf8');
  const numbered = [...page.matchAll(/^- \*\*([CD]\d+)\.\*\* \S/gm)].map(([, number]) => number);
  assert.ok(numbered.length > 100, 'the lines of the page are read');
  assert.deepEqual(
    contract.map(([line]) => line.split(':', 1)[0]),
    numbered,
  );
});

test('every line of the table is held by a test that is there', () => {
  const texts = new Map(
    readdirSync(import.meta.dirname).map((file) => [
      file,
      readFileSync(join(import.meta.dirname, file), 'utf8'),
    ]),
  );
  const missing = contract.flatMap(([line, ...heldBy]) =>
    heldBy.filter((where) => !isThere(where, texts)).map((where) => `${line} → ${where}`),
  );
  assert.deepEqual(missing, []);
  assert.ok(contract.every(([, ...heldBy]) => heldBy.length > 0));
});

/** Tells whether a test exists: its name follows an opening quote. */
function isThere(where: string, texts: ReadonlyMap<string, string>): boolean {
  if (where.endsWith('.ts')) return texts.has(where);
  const [, file = '', name = ''] = /^([\w-]+): (.+)$/.exec(where) ?? [];
  const text = texts.get(`${file}.test.ts`) ?? '';
  return ["'", '"', '`'].some((quote) => text.includes(`test(${quote}${name}`)) || text.includes(`['${name}`);
}
