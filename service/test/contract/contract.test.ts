/**
 * The contract suite: every line of the interface and of the decisions (sections 1 to 8), black-box. It runs
 * against the service as a user starts it (`./mailproof serve`, in one file `npm start`), wired to a world on
 * loopback. The command line makes accounts, keys and credits while it runs. No assertion knows the service's code.
 *
 * The client of the tests checks the rules for every answer. `openapi-check.ts` checks status, headers and body
 * against the served OpenAPI document. `every-answer.ts` checks the unique request id, the credits header, the
 * bytes of error bodies, the header for the status and the shapes of tasks. `record-shapes.ts` checks the fields of
 * a record of each status, and their values.
 *
 * The table below names the tests of each line, and a test checks the table: a missing name fails.
 *
 * Three lines cannot be seen from outside. The tests of idempotency move the clock to show that a key is kept for 24
 * hours. The tests of admission show 503 under overload. The engine's own world shows a blocked outbound port 25.
 * Interface and decisions name their own open points.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** A line of the contract and its tests: a file with a test's name (or its beginning), or a check of every answer. */
type Line = [line: string, ...heldBy: string[]];

const everyAnswer = 'every-answer.ts';
const shapes = 'record-shapes.ts';

const contract: Line[] = [
  [
    'interface 1: single carries the result directly',
    'verdicts: an address that is accepted where a random one',
  ],
  ['interface 1: bulk is created, polled, completed', 'tasks: a greylisted address is unknown in single'],
  [
    'interface 2.1: fields and types of a result',
    shapes,
    'verdicts: an address that is accepted where a random one',
  ],
  ['interface 2.1: the nine statuses', 'verdicts: row 1: a domain', 'verdicts: row 10'],
  ['interface 2.1: safe, invalid, catch_all carry every field', shapes],
  ['interface 2.1: invalid has score 0, not safe, not deliverable', shapes, 'verdicts: row 4'],
  ['interface 2.1: catch_all is deliverable and not safe', shapes, 'verdicts: row 7'],
  ['interface 2.1: unknown carries only these', shapes, 'verdicts: row 10'],
  ['interface 2.2: the creation response', everyAnswer, 'tasks: addresses are trimmed'],
  ['interface 2.3: the progress record', everyAnswer, 'deadlines: a task that no worker has claimed'],
  ['interface 2.3: the name has the prefix', 'tasks: is the submitted one after the prefix'],
  ['interface 2.3: results only when completed', everyAnswer, 'tasks: a greylisted address'],
  ['interface 2.4: the bulk record', shapes, 'tasks: every status of the verdict table has its record'],
  ['interface 3: waiting or running to completed, credits settled', 'tasks: a greylisted address'],
  ['interface 4.1: POST single, 200, X-Request-Id, X-Credits-Used', everyAnswer],
  [
    'interface 4.1: at most 254 characters',
    'bodies: 254 characters are taken',
    'bodies: characters are code points',
  ],
  ['interface 4.1: any other method is 405', 'refusals: every method but'],
  [
    'interface 4.2: 1 to 100 addresses, name of 25',
    'tasks: 100 copies of one address',
    'bodies: a name may have 25',
  ],
  ['interface 4.2: duplicates are removed and not charged twice', 'tasks: as many as were submitted'],
  ['interface 4.2: X-Credits-Used at creation and after settlement', 'tasks: a greylisted address'],
  [
    'interface 4.3: reading is free and for the owner only',
    'tasks: reading is free',
    'refusals: task_not_found for',
  ],
  [
    'interface 5: Bearer key; missing, invalid, deleted: 401',
    'refusals: without a key',
    'refusals: a deleted key',
  ],
  [
    'interface 5: no plan: 403 on creation',
    'refusals: an account without a plan',
    'refusals: reading needs no plan',
  ],
  ["interface 5: another account's task is 404", 'refusals: task_not_found for'],
  ['interface 7: the shape of errors', everyAnswer],
  ['interface 7.1: 400 invalid_email', 'bodies: 400: '],
  [
    'interface 7.1: 429 insufficient_credits',
    'refusals: credits before work',
    'tasks: as many as were submitted',
  ],
  [
    'interface 7.1: 500 verification_failed',
    'sandbox: in bulk each answers the same',
    'sandbox: the page has a row',
  ],
  ['interface 7.1: 502 verification_unavailable', 'verdicts: DNS that fails is 502'],
  ['interface 7.1: 503 service_unavailable', 'going-down: 503 while the database'],
  ['interface 7.1: 504 verification_timeout', 'deadlines: 504 verification_timeout'],
  ['interface 7.2: 400 invalid_batch', 'bodies: 400: '],
  [
    'interface 7.2: 404: unknown, expired, of another account',
    'refusals: task_not_found for',
    'deadlines: a completed task expires',
  ],
  ['interface 7.2: 429 on creation', 'tasks: as many as were submitted'],
  ['interface 7.2: 503 on creation', 'going-down: SIGTERM: what is under way'],
  ['interface 8: one credit a conclusive single', 'verdicts: every conclusive answer was charged'],
  [
    'interface 8: returned when rejected, unavailable, failed, timed out',
    'verdicts: DNS that fails',
    'deadlines: 504',
    'refusals: a refused request',
  ],
  [
    'interface 8: bulk credits reserved, returned, settled',
    'tasks: as many as were submitted',
    'tasks: every status',
  ],
  ['interface 8: polling is free', 'tasks: reading is free'],
  ['interface 9: the version is in the path', 'refusals: not_found on every path'],
  [
    'decisions 1: route and method first, with Allow',
    'refusals: method before key',
    'refusals: every method but',
  ],
  ['decisions 1: drain before key', 'going-down: SIGTERM: what is under way'],
  ['decisions 1: key before plan and body', 'refusals: key before plan and body'],
  ['decisions 1: plan before body', 'refusals: plan before body'],
  ['decisions 1: body before credits', 'refusals: body before credits'],
  ['decisions 1: idempotency before credits', 'refusals: idempotency before credits'],
  ['decisions 1: credits before work', 'refusals: credits before work'],
  ['decisions 1: a refused request touches nothing', 'refusals: a refused request sends no packet'],
  [
    'decisions 1: GET: key, then task; no plan',
    'refusals: key before task on reading',
    'refusals: reading needs no plan',
  ],
  ['decisions 1: unknown paths are 404 not_found', 'refusals: not_found on every path'],
  ['decisions 1: ids and credits on every response, error bodies exact', everyAnswer],
  ['decisions 2: JSON only, 256 KiB, no encoding, an object', 'bodies: 400: ', 'bodies: exactly 256 KiB'],
  ['decisions 2: parameters of the type are allowed', 'bodies: parameters of the content type'],
  [
    'decisions 2: a hundred longest addresses, fully escaped, fit',
    'bodies: 100 entries of the greatest length',
  ],
  ['decisions 2: email missing, of another type, empty, too long, no address', 'bodies: 400: '],
  ['decisions 2: emails and name', 'bodies: 400: ', 'bodies: a name may have 25'],
  ['decisions 2: what is no address does not fail the batch', 'bodies: what is no address'],
  [
    'decisions 2: unknown properties are ignored, white space is trimmed',
    'bodies: exactly 256 KiB',
    'bodies: white space around',
  ],
  [
    'decisions 2: characters are code points',
    'bodies: characters are code points',
    'bodies: a name may have 25',
  ],
  ['decisions 3: the sum of the counts', everyAnswer, 'tasks: addresses are trimmed'],
  [
    'decisions 3: trim, reject, deduplicate; case and IDN; first spelling',
    'tasks: addresses are trimmed',
    'tasks: with an A-label first',
  ],
  ['decisions 3: rejected are not in results; nothing to process', 'tasks: with nothing to process'],
  ['decisions 3: the name that was not submitted', 'tasks: is the time of creation'],
  ['decisions 3: progress_percentage', everyAnswer, 'tasks: a greylisted address'],
  ['decisions 4: row 1', 'verdicts: row 1: a domain', 'verdicts: row 1 outranks row 2'],
  ['decisions 4: row 2', 'verdicts: row 2'],
  ['decisions 4: row 3', 'verdicts: row 3'],
  ['decisions 4: row 4', 'verdicts: row 4'],
  ['decisions 4: row 5', 'verdicts: row 5'],
  ['decisions 4: row 6', 'verdicts: row 6'],
  ['decisions 4: row 7', 'verdicts: row 7'],
  ['decisions 4: row 8', 'verdicts: row 8'],
  ['decisions 4: row 9', 'verdicts: row 9', 'verdicts: an address that is accepted'],
  ['decisions 4: row 10', 'verdicts: row 10'],
  ['decisions 4: scores, deliverable and safe by status', shapes],
  ['decisions 4: what was not looked at is absent', shapes],
  [
    'decisions 4: mx_records in order, lower case; implicit MX',
    'verdicts: mx_records are in order',
    'verdicts: without MX',
  ],
  ['decisions 4: username and domain', 'verdicts: username and domain are as submitted'],
  [
    'decisions 4: catch-all undetermined is unknown',
    'verdicts: accepted, but whether made-up addresses are too',
  ],
  ['decisions 4: conclusive is every status but unknown', 'tasks: every status', everyAnswer],
  ['decisions 4: reading a reply', 'verdicts: quota words outrank', 'verdicts: a 4xx is never'],
  [
    "decisions 5: the remote's fault is unknown",
    'verdicts: a mail host that fails us',
    'verdicts: a mail host at forbidden',
  ],
  ['decisions 5: DNS fails', 'verdicts: DNS that fails'],
  ['decisions 5: resolver down', 'first-minute: the live key is answered too'],
  [
    'decisions 4: a resolver that denies large providers is at fault',
    'denying-resolver: while it denies what exists',
    'denying-resolver: in a task',
  ],
  ['decisions 5: deadline', 'deadlines: 504'],
  [
    'decisions 5: draining, database not answering, Retry-After',
    'going-down: SIGTERM',
    'going-down: 503',
    everyAnswer,
  ],
  ['decisions 5: a defect of ours', 'sandbox: the page has a row'],
  ['decisions 5: in a task no address fails it; greylisting is waited for', 'tasks: a greylisted address'],
  ['decisions 5a: MAILPROOF_PACING=off lifts the limits', 'verdicts: with MAILPROOF_PACING=off'],
  ['decisions 9: MAILPROOF_IP_PROFILE', 'reuse: the log says in one line'],
  ['decisions 9: MAILPROOF_REUSE_MS', 'reuse: four calls at once', 'reuse: a call after that'],
  [
    'decisions 6: waiting, running, completed',
    'deadlines: a task that no worker has claimed',
    'tasks: a greylisted address',
  ],
  ['decisions 6: a task outlives its worker', 'going-down: a task in the middle survives'],
  ['decisions 6: completed within its deadline', 'deadlines: a task is completed at its deadline'],
  ['decisions 6: expired is 404 and erased', 'deadlines: a completed task expires'],
  ['decisions 6: task_id is a random UUID', everyAnswer],
  [
    'decisions 7: available + reserved + spent = granted',
    'tasks: a greylisted address',
    'tasks: when all is done',
  ],
  [
    'decisions 7: submitted have to be available, the rest returns at once',
    'tasks: as many as were submitted',
  ],
  [
    'decisions 7: X-Credits-Used held and charged',
    'tasks: a greylisted address',
    'tasks: with nothing to process',
  ],
  [
    'decisions 8: Idempotency-Key replays',
    'idempotency: a repeat gets the first answer',
    'idempotency: twenty at once',
  ],
  ['decisions 8: per account', 'idempotency: keys belong to an account'],
  [
    'decisions 8: 409 and 422',
    'idempotency: 409',
    'idempotency: 422 idempotency_mismatch',
    'idempotency: 422 with another list',
  ],
  ['decisions 8: explain on both, never without', 'verdicts: explain=true', 'tasks: explain=true', shapes],
  [
    'decisions 8: test keys',
    'sandbox: no credit was moved',
    'sandbox: in bulk',
    'refusals: a test key of such an account',
  ],
  [
    'decisions 9: npm start, the printed keys, the curl',
    'first-minute: npm start prints',
    'going-down: the keys are printed',
  ],
  [
    'decisions 9: a bad setting stops the start with one line',
    'first-minute: a bad setting',
    'first-minute: the port is taken',
  ],
  [
    'the pages: /healthz, /readyz, /openapi.json, /docs',
    'first-minute: /healthz',
    'first-minute: /openapi.json',
    'first-minute: /docs',
  ],
  [
    'the pages of an account: balance, ledger, use, tasks, keys',
    'account: a verification shows in balance',
    'account: a task shows in the list',
    'account: the statement adds up',
    'account: keys are made, named and deleted',
  ],
  [
    'sessions of browsers',
    'account: signs in with a key',
    'account: stays signed in',
    'account: is slowed when it guesses',
  ],
];

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
