import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** A privacy relay is told apart in the explanation, and is judged like any other mailbox. */

const folder = mkdtempSync(join(tmpdir(), 'mailproof-relays-'));
let running: EngineInWorld;
before(async () => {
  // A renewed list with a relay on it.
  writeFileSync(join(folder, 'disposable-domains.txt'), 'duck.com\nthrowaway.test\n');
  const alive = { mailboxes: { ada: 'exists' } } as const;
  running = await startEngine(
    {
      zones: {
        'duck.com': { mx: [[10, 'mx.living.test']] },
        'privaterelay.appleid.com': { mx: [[10, 'mx.living.test']] },
        'ada.mozmail.com': { mx: [[10, 'mx.mailinator.com']] },
        'appleid.com': { mx: [[10, 'mx.living.test']] },
        'throwaway.test': { mx: [[10, 'mx.living.test']] },
      },
      hosts: { 'mx.living.test': alive, 'mx.mailinator.com': alive },
    },
    { renewedListsIn: folder },
  );
});
after(async () => {
  await running.stop();
  rmSync(folder, { recursive: true });
});

async function told(email: string) {
  const outcome = await running.verify(email);
  assert.equal(outcome.kind, 'verdict');
  return [outcome.verdict.status, outcome.verdict.is_disposable, outcome.explanation.is_relay];
}

describe('a privacy relay', () => {
  const table: [string, string, unknown[]][] = [
    ['is told, and not disposable though a renewed list says so', 'ada@duck.com', ['safe', false, true]],
    ['may be a name below a registered domain', 'ada@privaterelay.appleid.com', ['safe', false, true]],
    ['covers names below it, whatever their mail host', 'ada@ada.mozmail.com', ['safe', false, true]],
    ['does not make a relay of the domain above it', 'ada@appleid.com', ['safe', false, undefined]],
    ['is no throw-away domain', 'ada@throwaway.test', ['disposable', true, undefined]],
    ['with a dead mailbox is invalid and still a relay', 'bob@duck.com', ['invalid', false, true]],
  ];
  for (const [title, email, expected] of table)
    test(title, async () => assert.deepEqual(await told(email), expected));
});
