import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { readPolicyFile } from '../../src/politeness/read-policy-file.ts';
import type { Outcome } from '../../src/verify.ts';
import { startEngine } from '../support/start-engine.ts';

/**
 * A provider that says "no such user" of mailboxes that exist, and the operator's control mailboxes, which find that
 * out.
 */
const exists = '250 2.1.5 OK';
const noSuchUser = '550 5.1.1 The email account that you tried to reach does not exist';

function policyFile(controls: string[]) {
  const read = readPolicyFile(JSON.stringify({ providers: { google: { controls } } }));
  if (read.kind === 'bad') throw new Error(read.line);
  return read.file;
}

/** The host's reply about the operator's mailbox may be changed while the world runs. */
function google(control: { reply: string }): WorldDescription {
  const mx: [number, string][] = [[1, 'aspmx.l.google.com']];
  return {
    zones: {
      'operator.test': { mx },
      'customer.test': { mx },
      'elsewhere.test': { mx: [[1, 'mx.elsewhere.test']] },
    },
    hosts: {
      'aspmx.l.google.com': { mailboxes: { me: control, alive: 'exists' } },
      'mx.elsewhere.test': { mailboxes: { alive: 'exists' } },
    },
  };
}

const summary = (outcome: Outcome): string =>
  outcome.kind === 'verdict' ? `${outcome.verdict.status} ${outcome.explanation.reason}` : outcome.kind;

async function start(control: { reply: string }, controls = ['me@operator.test']) {
  const lines: string[] = [];
  const running = await startEngine(google(control), {
    policyFile: policyFile(controls),
    limits: { controlEveryMs: 0 },
    onProblem: (line) => lines.push(line),
  });
  return { ...running, stop: () => running.stop(), lines };
}

test('while a control mailbox is refused as unknown, nothing at that provider is called invalid', async () => {
  const control = { reply: noSuchUser };
  const { verify, engine, lines, stop } = await start(control);
  try {
    assert.equal(
      summary(await verify('gone@customer.test')),
      'unknown control_mailbox_refused',
      'the first already',
    );
    assert.equal(summary(await verify('gone@customer.test')), 'unknown control_mailbox_refused');
    assert.equal(summary(await verify('alive@customer.test')), 'safe mailbox_accepted', 'a yes is a yes');
    assert.equal(summary(await verify('gone@elsewhere.test')), 'invalid user_unknown', 'others are believed');
    assert.deepEqual(engine.health().doubtedProviders, ['google']);
    control.reply = exists;
    assert.equal(summary(await verify('gone@customer.test')), 'invalid user_unknown');
    assert.deepEqual(engine.health().doubtedProviders, []);
    assert.deepEqual(lines, [
      'google refuses a control mailbox as unknown: its "no such mailbox" is not believed until it accepts them again',
      'google accepts its control mailboxes again: its "no such mailbox" is believed again',
    ]);
  } finally {
    await stop();
  }
});

test('a control mailbox that is put off says neither', async () => {
  const control = { reply: '451 4.3.0 Try again later' };
  const { verify, lines, stop } = await start(control);
  try {
    assert.equal(summary(await verify('gone@customer.test')), 'invalid user_unknown');
    control.reply = noSuchUser;
    assert.equal(summary(await verify('gone@customer.test')), 'unknown control_mailbox_refused');
    control.reply = '451 4.3.0 Try again later';
    assert.equal(summary(await verify('gone@customer.test')), 'unknown control_mailbox_refused', 'no news');
    assert.equal(lines.length, 1);
  } finally {
    await stop();
  }
});

test('one that lives at another provider proves nothing, which is told', async () => {
  const { verify, lines, stop } = await start({ reply: exists }, ['gone@elsewhere.test']);
  try {
    for (let n = 0; n < 3; n += 1)
      assert.equal(summary(await verify('gone@customer.test')), 'invalid user_unknown');
    assert.deepEqual(lines, [
      'a control mailbox of google has its mail hosts elsewhere, so it proves nothing',
    ]);
  } finally {
    await stop();
  }
});

test('they are asked for once in a quarter of an hour, however much is asked there, and not where nothing is', async () => {
  const running = await startEngine(google({ reply: exists }), {
    policyFile: policyFile(['me@operator.test']),
  });
  const asked = () => {
    const lines = running.world.conversations.flatMap((one) => one.lines);
    return lines.filter((line) => line.startsWith('C: RCPT TO:<me@operator.test>')).length;
  };
  try {
    await running.verify('gone@elsewhere.test');
    assert.equal(asked(), 0);
    for (let n = 0; n < 5; n += 1) await running.verify(`gone${n}@customer.test`);
    assert.equal(asked(), 1);
  } finally {
    await running.stop();
  }
});
