import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BulkResultRecord } from '@mailproof/client';
import { systemClock, type Outcome } from '@mailproof/engine';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import { databases } from '../../../../test/support/databases.ts';
import { addresses, openTaskFixture } from '../../../../test/support/open-task-fixture.ts';
import { statement } from '../../store/statement.ts';
import { recordOf } from './present-results.ts';

const sandbox = createSandbox({ delays: false, clock: systemClock });
const never = new AbortController().signal;
const allResults = statement((db) => db.selectFrom('task').select('results'));
const answerOf = (email: string): Promise<Outcome> =>
  sandbox.verify(email, { deadline: Infinity, signal: never });

async function plainResults(fixture: Awaited<ReturnType<typeof openTaskFixture>>, taskId: string) {
  const answer = await fixture.readPlainly(taskId);
  return answer.kind === 'task' ? answer.resultsJson : undefined;
}

test('a record carries the fields of C33, and of those only the ones with evidence', async () => {
  const emails = ['safe@a.test', 'catch_all@a.test', 'spamtrap@a.test', 'unknown@a.test'];
  const outcomes = await Promise.all(emails.map(answerOf));
  const records: Record<string, BulkResultRecord> = Object.fromEntries(
    outcomes.map((outcome) => {
      if (outcome.kind !== 'verdict') throw new Error(outcome.kind);
      return [outcome.verdict.email, recordOf(outcome.verdict.email, outcome.verdict)];
    }),
  );
  assert.deepEqual(records, {
    'safe@a.test': {
      email: 'safe@a.test',
      status: 'safe',
      overall_score: 96,
      is_safe_to_send: true,
      is_deliverable: true,
      is_valid_syntax: true,
      mx_accepts_mail: true,
      verification_mode: 'power',
    },
    'catch_all@a.test': {
      email: 'catch_all@a.test',
      status: 'catch_all',
      overall_score: 50,
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

for (const database of databases) {
  describe(`results made ready on ${database.name}`, () => {
    test('are the same text, made at the end or when asked for, and differ from explained ones by the explanation', async () => {
      const fixture = await openTaskFixture(database);
      const spelled = [
        '__proto__@a.test',
        'constructor@a.test',
        'toString@a.test',
        '"a\\"b"@a.test',
        'ü@ü.test',
      ];
      fixture.mind.answer = answerOf;
      const id = await fixture.created(fixture.account.live, [
        ...spelled,
        ...addresses(50),
        'timeout@a.test',
      ]);
      assert.equal(await plainResults(fixture, id), undefined);
      await fixture.run((await fixture.claim())!);
      const ready = (await plainResults(fixture, id)) ?? '';
      const explained = await fixture.read(id);
      assert.ok(explained.kind === 'task');
      const without = (explained.results ?? []).map(({ explanation, ...record }) => {
        assert.ok(explanation !== undefined);
        return `${JSON.stringify(record.email)}:${JSON.stringify(record)}`;
      });
      assert.equal(without.length, 56);
      assert.equal(ready, `{${without.join(',')}}`);
      await fixture.close();
    });

    test('go with the task: after its time nothing of them is left', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, ['canary@example.com']);
      await fixture.run((await fixture.claim())!);
      assert.match((await plainResults(fixture, id)) ?? '', /canary@example\.com/);
      fixture.time.advance(16 * 86_400_000);
      assert.equal(await plainResults(fixture, id), undefined, 'expired, although not yet erased');
      await fixture.sweep();
      assert.deepEqual(await fixture.store.read.all(allResults, {}), []);
      await fixture.close();
    });
  });
}
