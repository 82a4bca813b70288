import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { readPolicyFile } from '../../src/politeness/read-policy-file.ts';
import type { Outcome } from '../../src/verify.ts';
import { oneHost, startEngine } from '../support/start-engine.ts';

/** Work that a host's policy and its rests spare it, counted by the world. */

function policyFile(settings: object) {
  const read = readPolicyFile(JSON.stringify(settings));
  if (read.kind === 'bad') throw new Error(read.line);
  return read.file;
}

function summary(outcome: Outcome): { status: string; reason: string } {
  if (outcome.kind === 'invalid_address') return { status: outcome.kind, reason: outcome.fault };
  const status = outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
  return { status, reason: outcome.explanation.reason };
}

const alive = { mailboxes: { alive: 'exists' } } as const;

describe('a policy', () => {
  test('to skip a provider: unknown with that reason, and no connection', async () => {
    const file = policyFile({ providers: { 'plain.test': { asking: 'skip' } } });
    const running = await startEngine(oneHost('plain.test', alive), { policyFile: file });
    try {
      assert.deepEqual(summary(await running.verify('alive@plain.test')), {
        status: 'unknown',
        reason: 'provider_policy',
      });
      assert.equal(running.world.counts.smtp.connections, 0);
    } finally {
      await running.stop();
    }
  });

  test('built in for hosts known to take every address: unknown, with a reason of its own, and no connection', async () => {
    const world: WorldDescription = {
      zones: { 'mailbox.test': { mx: [[1, 'mta5.am0.yahoodns.net']] } },
      hosts: { 'mta5.am0.yahoodns.net': { temper: { catchAll: true } } },
    };
    const running = await startEngine(world);
    try {
      const outcome = await running.verify('anyone@mailbox.test');
      assert.deepEqual(summary(outcome), { status: 'unknown', reason: 'provider_accepts_everything' });
      assert.ok(outcome.kind === 'verdict' && !('can_connect_smtp' in outcome.verdict));
      assert.deepEqual(outcome.explanation.retry, { advised: false }, 'tomorrow it would say the same');
      assert.equal(running.world.counts.smtp.connections, 0);
    } finally {
      await running.stop();
    }
  });

  test('to leave a provider out: unknown with that reason, no retry and no connection, and others are asked', async () => {
    const world: WorldDescription = {
      zones: {
        'hotmail.com': { mx: [[1, 'hotmail-com.olc.protection.outlook.com']] },
        'plain.test': { mx: [[1, 'mx.plain.test']] },
      },
      hosts: { 'hotmail-com.olc.protection.outlook.com': alive, 'mx.plain.test': alive },
    };
    const running = await startEngine(world, { providersLeftOut: ['outlook'] });
    try {
      const outcome = await running.verify('alive@hotmail.com');
      assert.deepEqual(summary(outcome), { status: 'unknown', reason: 'provider_policy' });
      assert.ok(outcome.kind === 'verdict');
      assert.deepEqual(outcome.explanation.retry, { advised: false });
      assert.equal(running.world.counts.smtp.connections, 0);
      assert.equal(summary(await running.verify('alive@plain.test')).status, 'safe');
    } finally {
      await running.stop();
    }
  });

  for (const domain of ['cox.net', 'att.net', 'sbcglobal.net', 'bellsouth.net', 'comcast.net']) {
    test(`of ${domain}, whose mail Yahoo hosts: unknown, as at Yahoo itself, and no connection`, async () => {
      const host = `mx-${domain.replace('.', '-')}.am0.yahoodns.net`;
      const running = await startEngine({
        zones: { [domain]: { mx: [[1, host]] } },
        hosts: { [host]: { temper: { catchAll: true } } },
      });
      try {
        assert.deepEqual(summary(await running.verify(`anyone@${domain}`)), {
          status: 'unknown',
          reason: 'provider_accepts_everything',
        });
        assert.equal(running.world.counts.smtp.connections, 0);
      } finally {
        await running.stop();
      }
    });
  }

  test("of a customer's domain behind a truthful provider: a made-up address decides, not the provider's name", async () => {
    const world: WorldDescription = {
      zones: {
        'custom.test': { mx: [[1, 'mx01.mail.icloud.com']] },
        'icloud.com': { mx: [[1, 'mx02.mail.icloud.com']] },
      },
      hosts: {
        'mx01.mail.icloud.com': { temper: { catchAll: true } },
        'mx02.mail.icloud.com': { mailboxes: { anyone: 'exists' } },
      },
    };
    const running = await startEngine(world);
    try {
      assert.equal(summary(await running.verify('anyone@custom.test')).status, 'catch_all');
      assert.equal(summary(await running.verify('anyone@icloud.com')).status, 'safe', 'its own is believed');
    } finally {
      await running.stop();
    }
  });

  test('of the operator outranks it', async () => {
    const world: WorldDescription = {
      zones: { 'mailbox.test': { mx: [[1, 'mta5.am0.yahoodns.net']] } },
      hosts: { 'mta5.am0.yahoodns.net': alive },
    };
    const file = policyFile({ providers: { yahoo: { asking: 'probe' } } });
    const running = await startEngine(world, { policyFile: file });
    try {
      assert.equal(summary(await running.verify('alive@mailbox.test')).status, 'safe');
    } finally {
      await running.stop();
    }
  });
});

describe('a host that put us off', () => {
  test('is left alone: the next address is answered at once, with the reason and no packet', async () => {
    const temper = { refusal: { at: 'banner', reply: '421 4.3.2 Too busy' } } as const;
    const running = await startEngine(oneHost('busy.test', { temper }), { pacing: 'on' });
    try {
      assert.equal(summary(await running.verify('one@busy.test')).status, 'unknown');
      running.world.reset();
      assert.deepEqual(summary(await running.verify('two@busy.test')), {
        status: 'unknown',
        reason: 'host_defers',
      });
      assert.equal(running.world.counts.smtp.connections, 0);
      assert.deepEqual(
        running.engine.health().resting.map(({ reason }) => reason),
        ['host_defers'],
      );
    } finally {
      await running.stop();
    }
  });
});

describe('routes', () => {
  test('a host bound to a route is asked from its address, under its name and sender', async () => {
    const file = policyFile({
      routes: [
        { id: 'default', kind: 'direct' },
        {
          id: 'second',
          kind: 'direct',
          localAddress: '127.0.0.2',
          heloName: 'second.probe.test',
          mailFrom: 'verify@second.probe.test',
        },
      ],
      providers: { 'plain.test': { routes: ['second'] } },
    });
    const running = await startEngine(oneHost('plain.test', alive), { policyFile: file });
    try {
      assert.equal(summary(await running.verify('alive@plain.test')).status, 'safe');
      const [conversation] = running.world.conversations;
      assert.equal(conversation?.client, '127.0.0.2');
      assert.ok(conversation.lines.includes('C: EHLO second.probe.test'));
      assert.ok(conversation.lines.includes('C: MAIL FROM:<verify@second.probe.test>'));
    } finally {
      await running.stop();
    }
  });

  test('a proxy that is gone makes the host unreachable, and nothing is held against the host', async () => {
    const file = policyFile({
      routes: [{ id: 'proxy', kind: 'socks5', socks5: { host: '127.0.0.1', port: 9 } }],
    });
    const problems: string[] = [];
    const running = await startEngine(oneHost('plain.test', alive), {
      policyFile: file,
      onProblem: (line) => problems.push(line),
    });
    try {
      assert.equal(summary(await running.verify('alive@plain.test')).status, 'unknown');
      assert.equal(running.world.counts.smtp.connections, 0);
      assert.deepEqual(running.engine.health().resting, []);
      assert.ok(
        problems.some((line) => line.includes('proxy')),
        problems.join('\n'),
      );
    } finally {
      await running.stop();
    }
  });
});

test('twenty dead hosts in five networks do not make port 25 blocked, and the next address is asked for', async () => {
  const dead = Array.from({ length: 20 }, (_, n) => ({
    domain: `dead${n}.test`,
    address: `127.${40 + (n % 5)}.0.${n + 1}`,
  }));
  const world: WorldDescription = {
    zones: {
      ...Object.fromEntries(
        dead.map(({ domain }) => [domain, { mx: [[1, `mx.${domain}`]] as [number, string][] }]),
      ),
      'plain.test': { mx: [[1, 'mx.plain.test']] },
    },
    hosts: {
      ...Object.fromEntries(
        dead.map(({ domain, address }) => [`mx.${domain}`, { address, temper: { dead: true } }]),
      ),
      'mx.plain.test': alive,
    },
  };
  const running = await startEngine(world);
  try {
    for (const { domain } of dead) {
      const outcome = await running.verify(`someone@${domain}`);
      assert.deepEqual(summary(outcome), { status: 'unknown', reason: 'mx_unreachable' });
    }
    assert.equal(running.engine.health().mailPort.kind, 'open');
    assert.equal(summary(await running.verify('alive@plain.test')).status, 'safe');
  } finally {
    await running.stop();
  }
});
