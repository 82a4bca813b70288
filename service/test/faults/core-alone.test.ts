/** The contract suite once more, with every feature left out: the core alone keeps the contract. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { featuresVariable } from '../contract/running-service.ts';

const folder = join(import.meta.dirname, '../contract');

/** Every file of the suite but those about a feature: agents, figures, lists, probers, webhooks. */
const ofTheCore = [
  'bodies',
  'contract',
  'deadlines',
  'denying-resolver',
  'doubtful-hosts',
  'first-keys',
  'going-down',
  'idempotency',
  'refusals',
  'reuse',
  'sandbox',
  'tasks',
  'verdicts',
];

describe('the core alone', { concurrency: 2 }, () => {
  for (const name of ofTheCore)
    test(`keeps the contract: ${name}`, async () => {
      const env = { ...process.env, [featuresVariable]: 'none' };
      // It would take itself for a part of this run.
      delete (env as NodeJS.ProcessEnv)['NODE_TEST_CONTEXT'];
      // One test of the doubtful hosts is about a list.
      const args = ['--test', '--test-skip-pattern=in a list', join(folder, `${name}.test.ts`)];
      const child = spawn(process.execPath, args, {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      const [status] = (await once(child, 'close')) as [number | null];
      assert.equal(status, 0, said);
      assert.match(said, /^\S* ?fail 0$/m);
    });
});
