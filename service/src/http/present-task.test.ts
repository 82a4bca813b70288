import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@mailproof/engine';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import { createServer } from './server.ts';
import { createTestParts, taskId } from './testing/test-parts.ts';
import { presentTask } from './present-task.ts';

const sandbox = createSandbox({ delays: false, clock: systemClock });

async function resultFor(email: string) {
  const outcome = await sandbox.verify(email, { deadline: Infinity, signal: new AbortController().signal });
  if (outcome.kind !== 'verdict') throw new Error(`${email}: ${outcome.kind}`);
  return { email, verdict: outcome.verdict, explanation: outcome.explanation };
}

const common = { kind: 'task' as const, taskId, name: 'API: x', creditsUsed: 0 };

test('progress has at most two decimals, is 100 when completed, and has no results before', () => {
  const running = { ...common, status: 'running' as const, total: 3, results: undefined };
  assert.equal(presentTask({ ...running, checked: 0 }, { explain: false }).progress_percentage, 0);
  assert.equal(presentTask({ ...running, checked: 1 }, { explain: false }).progress_percentage, 33.33);
  assert.equal(presentTask({ ...running, checked: 2 }, { explain: false }).progress_percentage, 66.67);
  for (let total = 1; total <= 100; total += 1) {
    for (let checked = 0; checked < total; checked += 1) {
      const { progress_percentage: shown } = presentTask({ ...running, total, checked }, { explain: false });
      assert.ok(shown < 100 && /^\d+(?:\.\d{1,2})?$/.test(String(shown)), String(shown));
    }
  }
  const empty = presentTask(
    { ...common, status: 'completed', total: 0, checked: 0, results: [] },
    { explain: false },
  );
  assert.deepEqual([empty.progress_percentage, empty.results], [100, {}]);
  assert.ok(!('results' in presentTask({ ...running, checked: 2 }, { explain: false })));
});

test('a record carries what interface 2.4 names, and of that only what there is evidence for', async () => {
  const emails = ['safe@a.test', 'catch_all@a.test', 'spamtrap@a.test', 'unknown@a.test'];
  const results = await Promise.all(emails.map(resultFor));
  const shown = presentTask(
    { ...common, status: 'completed', total: 4, checked: 4, results },
    { explain: false },
  );
  assert.deepEqual(shown.results, {
    'safe@a.test': {
      email: 'safe@a.test',
      status: 'safe',
      overall_score: 98,
      is_safe_to_send: true,
      is_deliverable: true,
      is_valid_syntax: true,
      mx_accepts_mail: true,
      verification_mode: 'power',
    },
    'catch_all@a.test': {
      email: 'catch_all@a.test',
      status: 'catch_all',
      overall_score: 60,
      is_safe_to_send: false,
      is_deliverable: true,
      is_valid_syntax: true,
      mx_accepts_mail: true,
      is_catch_all: true,
      verification_mode: 'power',
    },
    'spamtrap@a.test': {
      email: 'spamtrap@a.test',
      status: 'spamtrap',
      overall_score: 0,
      is_safe_to_send: false,
      is_valid_syntax: true,
      mx_accepts_mail: true,
      verification_mode: 'power',
    },
    'unknown@a.test': {
      email: 'unknown@a.test',
      status: 'unknown',
      is_valid_syntax: true,
      mx_accepts_mail: true,
      verification_mode: 'power',
    },
  });
});

test('addresses spelled like names of a prototype are keys like any other, on the wire too', async () => {
  const emails = ['__proto__@a.test', 'constructor@a.test', 'toString@a.test', '"a\\"b"@a.test', 'ü@ü.test'];
  const results = await Promise.all(emails.map(resultFor));
  const server = await createServer(
    createTestParts({
      readTask: () => Promise.resolve({ ...common, status: 'completed', total: 5, checked: 5, results }),
    }),
  );
  const response = await server.inject({
    url: `/api/v1/bulk-email-verification/${taskId}?explain=true`,
    headers: { authorization: 'Bearer paid' },
  });
  await server.close();
  const shown: unknown = JSON.parse(response.body, (_key, value: unknown) => value);
  assert.ok(
    typeof shown === 'object' && shown !== null && 'results' in shown && typeof shown.results === 'object',
  );
  assert.deepEqual(Object.keys(shown.results ?? {}), emails);
  assert.equal(response.body.match(/"explanation":\{"stage"/g)?.length, emails.length);
});
