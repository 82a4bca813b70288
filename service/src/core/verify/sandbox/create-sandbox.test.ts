import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { systemClock, type Clock } from '@mailproof/engine';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { findAnswer, sandboxAnswers } from './answers.ts';
import { createSandbox, sandboxLimitTable } from './create-sandbox.ts';

const sandbox = createSandbox({ delays: false, clock: systemClock });
const patience = () => ({ deadline: systemClock.now() + 30_000, signal: new AbortController().signal });

/** What each name answers, as a client sees it. */
async function outcomeOf(email: string): Promise<string> {
  try {
    const outcome = await sandbox.verify(email, patience());
    if (outcome.kind !== 'verdict') return outcome.kind;
    const { verdict, explanation } = outcome;
    const score = 'overall_score' in verdict ? ` ${verdict.overall_score}` : '';
    return `${verdict.status}${score}, ${explanation.stage} ${explanation.reason}`;
  } catch {
    return 'throws';
  }
}

test('every name answers what the table says of it', async () => {
  const outcomes: Record<string, string> = {};
  for (const name of Object.keys(sandboxAnswers)) outcomes[name] = await outcomeOf(`${name}@example.com`);
  assert.deepEqual(outcomes, {
    safe: 'safe 96, smtp mailbox_accepted',
    free: 'safe 96, smtp mailbox_accepted',
    invalid: outcomes['invalid'],
    no_such_domain: 'invalid 0, dns no_such_domain',
    typo: 'invalid 0, dns no_such_domain',
    null_mx: 'invalid 0, dns null_mx',
    disabled: outcomes['disabled'],
    disposable: 'disposable 10, lists disposable_listed',
    inbox_full: outcomes['inbox_full'],
    catch_all: 'catch_all 50, smtp accepts_every_address',
    role_account: 'role_account 81, smtp mailbox_accepted',
    abuse: 'role_account 31, smtp mailbox_accepted',
    relay: 'safe 96, smtp mailbox_accepted',
    machine: 'safe 96, smtp mailbox_accepted',
    spamtrap: 'spamtrap 0, lists spamtrap_listed',
    unknown: outcomes['unknown'],
    unreachable: 'unknown, smtp mx_unreachable',
    greylisted: outcomes['greylisted'],
    blocked: outcomes['blocked'],
    unavailable: 'unavailable',
    timeout: 'timeout',
    failed: 'throws',
  });
  // The reason codes of replies are the classifier's own; here only the status is promised.
  assert.match(outcomes['invalid']!, /^invalid 0, smtp /);
  assert.match(outcomes['disabled']!, /^disabled 5, smtp /);
  assert.match(outcomes['inbox_full']!, /^inbox_full 20, smtp /);
  assert.match(outcomes['unknown']!, /^unknown, smtp /);
  assert.match(outcomes['greylisted']!, /^unknown, smtp /);
  assert.match(outcomes['blocked']!, /^unknown, smtp /);
});

test('what lists know of an address is told in the explanation', async () => {
  const told = async (email: string) => {
    const outcome = await sandbox.verify(email, patience());
    assert.ok(outcome.kind === 'verdict');
    const { is_relay: relay, is_machine: machine, not_for_bulk: notForBulk } = outcome.explanation;
    return [relay, machine, notForBulk];
  };
  assert.deepEqual(await told('relay@example.com'), [true, undefined, undefined]);
  assert.deepEqual(await told('machine@example.com'), [undefined, true, undefined]);
  assert.deepEqual(await told('abuse@example.com'), [undefined, undefined, true]);
  assert.deepEqual(await told('safe@example.com'), [undefined, undefined, undefined]);
});

test('greylisting advises to come back soon, a block much later, and what says nothing not at all', async () => {
  const retryAfter = async (email: string) => {
    const outcome = await sandbox.verify(email, patience());
    return outcome.kind === 'verdict' ? outcome.explanation.retry : undefined;
  };
  assert.deepEqual(await retryAfter('greylisted@example.com'), { advised: true, after_seconds: 300 });
  assert.deepEqual(await retryAfter('unknown@example.com'), { advised: false });
  assert.deepEqual(await retryAfter('blocked@example.com'), { advised: true, after_seconds: 86_400 });
});

test('a tag answers like the name, in any case, and any other local part is safe', () => {
  assert.equal(findAnswer('jane+inbox_full'), sandboxAnswers.inbox_full);
  assert.equal(findAnswer('jane+news+Disabled'), sandboxAnswers.disabled);
  assert.equal(findAnswer('CATCH_ALL'), sandboxAnswers.catch_all);
  for (const other of ['jane', 'jane+x', 'unsafe', '__proto__', 'constructor', '']) {
    assert.equal(findAnswer(other), sandboxAnswers.safe, other);
  }
});

test('what is no address is refused as the engine refuses it', async () => {
  assert.deepEqual(await sandbox.verify('safe', patience()), {
    kind: 'invalid_address',
    fault: 'no_at_sign',
  });
});

test('without delays nothing waits, and the timings still read like real ones', async () => {
  const still: Clock = { now: () => 0, after: () => assert.fail('nothing may wait') };
  const outcome = await createSandbox({ delays: false, clock: still }).verify('safe@example.com', {
    deadline: 30_000,
    signal: new AbortController().signal,
  });
  assert.ok(outcome.kind === 'verdict');
  assert.deepEqual(outcome.explanation.timings_ms, { dns: 30, smtp: 400, total: 430 });
});

test('with delays a verdict takes its time, and a time-out takes all of it', async () => {
  const waits: number[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    after: (ms, callback) => {
      waits.push(ms);
      queueMicrotask(() => {
        now += ms;
        callback();
      });
      return () => undefined;
    },
  };
  const slow = createSandbox({ delays: true, clock });
  const signal = new AbortController().signal;
  assert.equal((await slow.verify('safe@example.com', { deadline: 30_000, signal })).kind, 'verdict');
  assert.deepEqual(waits, [30, 400]);
  assert.equal(
    (await slow.verify('timeout@example.com', { deadline: now + 30_000, signal })).kind,
    'timeout',
  );
  assert.equal(waits[3], 29_970);
});

test('singles of one account beyond its pace wait for their turn, and nobody else for them', async () => {
  const time = createTestClock();
  const slow = createSandbox({ delays: true, clock: time });
  const ended: Record<string, number[]> = {};
  const ask = async (account: string, urgency: 'single' | 'bulk') => {
    const { signal } = new AbortController();
    await slow.verify('safe@example.com', { deadline: 30_000, signal, asker: { account, urgency } });
    (ended[`${account} ${urgency}`] ??= []).push(time.now());
  };
  const { singlesAtOnce, singlesPerSecond } = sandboxLimitTable;
  const asked = [
    ...Array.from({ length: singlesAtOnce.value + 2 }, () => ask('busy', 'single')),
    ask('busy', 'bulk'),
    ask('quiet', 'single'),
  ];
  while (time.timers() > 0) {
    time.step();
    await nextTick();
  }
  await Promise.all(asked);
  const spacingMs = 1_000 / singlesPerSecond.value;
  const atOnce = Array.from({ length: singlesAtOnce.value }, () => 430);
  assert.deepEqual(ended, {
    'busy single': [...atOnce, 430 + spacingMs, 430 + 2 * spacingMs],
    'busy bulk': [430],
    'quiet single': [430],
  });
});

test('a caller that is gone ends the wait', async () => {
  const controller = new AbortController();
  const verification = createSandbox({ delays: true, clock: systemClock }).verify('timeout@example.com', {
    deadline: systemClock.now() + 30_000,
    signal: controller.signal,
  });
  setImmediate(() => controller.abort());
  await assert.rejects(verification, { name: 'AbortError' });
});

test('docs/sandbox.md has the table as it is', () => {
  const page = readFileSync(new URL('../../../../../docs/sandbox.md', import.meta.url), 'utf8').replaceAll(
    / +/g,
    ' ',
  );
  const rows = Object.entries(sandboxAnswers).map(([name, { outcome }]) => `| \`${name}@\` | ${outcome} |`);
  assert.ok(page.includes(rows.join('\n')), `the table should read\n${rows.join('\n')}`);
});
