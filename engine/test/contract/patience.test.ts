import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostDescription, Temper } from '@mailproof/world';
import { defaultLimits, type Limits } from '../../src/limits.ts';
import type { EngineSettings } from '../../src/create-engine.ts';
import { createPolicyBook } from '../../src/politeness/create-policy-book.ts';
import { askMailbox } from '../../src/probing/prober.ts';
import type { Visit } from '../../src/probing/pending-probe.ts';
import type { CanonicalHost } from '../../src/syntax/address.ts';
import { canonicalHost } from '../../src/syntax/canonical-host.ts';
import { parseAddress } from '../../src/syntax/parse-address.ts';
import type { Outcome } from '../../src/verify.ts';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/**
 * Mail hosts that are slow, leave in the middle, or want TLS late: no mailbox there is lost by it. Slowness is
 * scaled down: a fault of ours shows as a wait that is too short by design, never as one that is short by chance.
 */
const living = ['alive0', 'alive1', 'alive2', 'alive3', 'alive4', 'alive5'];
const dead = ['nobody0', 'nobody1', 'nobody2', 'nobody3', 'nobody4', 'nobody5'];
const asker = { urgency: 'bulk', account: 'list' } as const;

async function at(
  temper: Temper,
  work: (running: EngineInWorld) => Promise<void>,
  settings: Partial<EngineSettings> = {},
): Promise<void> {
  const mailboxes = Object.fromEntries(living.map((name) => [name, 'exists' as const]));
  const host: HostDescription = { temper, mailboxes };
  const running = await startEngine(oneHost('slow.test', host), settings);
  try {
    await work(running);
    assert.deepEqual(running.world.violations, []);
  } finally {
    await running.stop();
  }
}

function told(outcome: Outcome): string {
  return outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
}

async function single({ verify }: EngineInWorld, name = 'alive0'): Promise<string> {
  return told(await verify(`${name}@slow.test`));
}

/** Asks for a list at once; returns each wrong outcome. */
async function wrongOfList({ verify }: EngineInWorld, names: string[]): Promise<string[]> {
  const outcomes = await Promise.all(names.map((name) => verify(`${name}@slow.test`, { asker })));
  return outcomes.flatMap((outcome, index) => {
    const name = names[index] ?? '';
    const expected = name.startsWith('alive') ? 'safe' : 'invalid';
    return told(outcome) === expected ? [] : [`${name} ${told(outcome)}`];
  });
}

const mixed = living.flatMap((name, index) => [dead[index] ?? '', name]);

describe('a host that holds the replies to a group until its end', () => {
  // MAIL alone would have been given up on long before the group is answered.
  const held: Temper = { recipientDelayMs: 200, holdsReplies: true };
  const limits = { mailMs: 100, rcptMs: 10_000 };

  test('is waited for as long as all its commands together may take', () =>
    at(held, async (running) => assert.equal(await single(running), 'safe'), { limits }));
  test('in lists as well', () =>
    at(held, async (running) => assert.deepEqual(await wrongOfList(running, mixed), []), { limits }));
});

describe('a host that leaves in the middle of a group', () => {
  for (const refusals of [1, 2, 3]) {
    test(`by hanging up after ${refusals}: no address of a list is lost`, () =>
      at({ hangsUpAfterRefusals: refusals }, async (running) =>
        assert.deepEqual(await wrongOfList(running, mixed), []),
      ));
    test(`by 421 in place of refusal ${refusals + 1}: no address of a list is lost`, () =>
      at({ errorCount: { soft: 100, hard: refusals + 1, delayMs: 0 } }, async (running) =>
        assert.deepEqual(await wrongOfList(running, mixed), []),
      ));
  }
  test('and takes the replies that were on their way along: the mailbox is asked for again, the made-up one last', () =>
    at({ vanishesAtRefusal: 1 }, async (running) => {
      await running.verify('alive0@slow.test');
      const [, second] = running.world.conversations;
      const said = second?.lines.filter((line) => /^(?:C: RCPT|S: 250 2\.1\.5)/.test(line)) ?? [];
      assert.match(said[0] ?? '', /alive0/);
      assert.match(said[1] ?? '', /^S: 250/, 'answered before the made-up one is named');
    }));
});

describe('a made-up recipient that provokes 421', () => {
  test('does not cost the mailbox behind it its answer', () =>
    at({ errorCount: { soft: 100, hard: 2, delayMs: 0 } }, async (running) => {
      assert.deepEqual(await wrongOfList(running, ['nobody0', 'alive0']), []);
    }));

  test('does not cost the mailbox before it its verdict', async () => {
    // The third error of a conversation is the made-up recipient of the second domain, right behind a living one.
    const temper: Temper = { errorCount: { soft: 100, hard: 3, delayMs: 0 } };
    const running = await startEngine({
      zones: { 'one.test': { mx: [[10, 'mx.test']] }, 'two.test': { mx: [[10, 'mx.test']] } },
      hosts: { 'mx.test': { temper, mailboxes: { 'alive@two.test': 'exists' } } },
    });
    try {
      const outcomes = await Promise.all(
        ['nobody@one.test', 'alive@two.test'].map((email) => running.verify(email, { asker })),
      );
      assert.deepEqual(outcomes.map(told), ['invalid', 'safe']);
      const [first] = running.world.conversations;
      assert.ok(first?.lines.some((line) => line.startsWith('S: 421')));
    } finally {
      await running.stop();
    }
  });
});

describe('TLS that is demanded only of a recipient', () => {
  const demands = ['530 5.7.0 Must issue a STARTTLS command first', '550 5.7.1 TLS encryption is required'];
  for (const tlsDemand of demands) {
    test(`${tlsDemand}: asked again over TLS in the same conversation, and remembered`, () =>
      at({ starttls: 'demanded_at_recipient', tlsDemand }, async (running) => {
        assert.equal(await single(running), 'safe');
        assert.equal(running.world.counts.smtp.connections, 1);
        running.world.reset();
        assert.equal(await single(running, 'nobody0'), 'invalid');
        assert.deepEqual(running.world.counts.smtp.commands, {
          EHLO: 2,
          STARTTLS: 1,
          MAIL: 1,
          RCPT: 1,
          QUIT: 1,
        });
      }));
  }
  test('if it is not offered, the refusal is the answer', () =>
    at(
      { refusal: { at: 'rcpt', reply: '530 5.7.0 Must issue a STARTTLS command first' } },
      async ({ verify }) => {
        const outcome = await verify('alive0@slow.test');
        assert.equal(outcome.kind === 'verdict' && outcome.explanation.reason, 'tls_required');
      },
    ));
});

describe('time', () => {
  test('that is spent behind other addresses of a conversation does not count against an address', () =>
    // Together they take longer than one address may, each by itself a fifth of that.
    at(
      { recipientDelayMs: 400, pipelining: false },
      async (running) => {
        assert.deepEqual(await wrongOfList(running, living), []);
        assert.ok(running.world.conversations.some(({ lines }) => countOf(lines, 'RCPT') >= living.length));
      },
      { limits: { bulkSmtpPhaseMs: 2_000 } },
    ));

  const waits = { bannerMs: 100, rcptMs: 100, smtpPhaseMs: 30_000 };
  const patient = { bulkBannerMs: 30_000, bulkRcptMs: 30_000, bulkSmtpPhaseMs: 30_000 };
  for (const temper of [{ replyDelayMs: 1_000 }, { recipientDelayMs: 1_000 }] satisfies Temper[])
    test(`is given to a list that a single verification has not: ${JSON.stringify(temper)}`, () =>
      at(
        { ...temper, pipelining: false },
        async (running) => {
          const alone = await running.verify('alive0@slow.test');
          assert.equal(alone.kind === 'verdict' && alone.explanation.reason, 'smtp_timeout');
          assert.deepEqual(await wrongOfList(running, ['alive0']), []);
        },
        { limits: { ...waits, ...patient } },
      ));

  test('by default: 25 s for a banner or a recipient if a caller waits, 60 s for a list', () => {
    const { bannerMs, rcptMs, bulkBannerMs, bulkRcptMs } = defaultLimits;
    assert.deepEqual([bannerMs, rcptMs, bulkBannerMs, bulkRcptMs], [25_000, 25_000, 60_000, 60_000]);
  });

  test('never beyond what the caller has', () =>
    at({ recipientDelayMs: 60_000 }, async ({ verify }) => {
      const outcome = await verify('alive0@slow.test', { withinMs: 300, asker });
      assert.equal(outcome.kind, 'timeout');
    }));
});

function countOf(lines: string[], verb: string): number {
  return lines.filter((line) => line.startsWith(`C: ${verb}`)).length;
}

test('a host that is slow at refusals is asked for two at once from then on, the made-up one after them', async () => {
  const running = await startEngine(
    {
      zones: { 'one.test': { mx: [[10, 'mx.test']] }, 'two.test': { mx: [[10, 'mx.test']] } },
      hosts: { 'mx.test': { temper: { refusalDelayMs: 150 }, mailboxes: { alive: 'exists' } } },
    },
    { limits: { slowRefusalMs: 100 } },
  );
  try {
    assert.equal(told(await running.verify('nobody@one.test', { asker })), 'invalid');
    running.world.reset();
    const emails = ['alive@two.test', 'a@two.test', 'b@two.test', 'c@two.test'];
    const outcomes = await Promise.all(emails.map((email) => running.verify(email, { asker })));
    assert.deepEqual(outcomes.map(told), ['safe', 'invalid', 'invalid', 'invalid']);
    const lines = running.world.conversations.flatMap((conversation) => conversation.lines);
    const groups = lines.join('\n').match(/(?:C: RCPT[^\n]*\n)+/g) ?? [];
    const named = groups.map((group) => Array.from(group.matchAll(/<([^@]+)@/g), ([, name = '']) => name));
    assert.ok(
      named.every((names) => names.length <= 2),
      JSON.stringify(named),
    );
    const madeUp = named.filter((names) => names.some((name) => !emails.includes(`${name}@two.test`)));
    assert.deepEqual(
      madeUp.map((names) => names.length),
      [1],
      'in a group of its own',
    );
  } finally {
    await running.stop();
  }
});

/**
 * Returns how many of twenty mail hosts are asked, if each behaves as told. No socket can be made to be silent on
 * loopback.
 */
async function dialled(visit: Visit): Promise<number> {
  const names = Array.from({ length: 20 }, (_, index) => hostName(`mx${index}.many.test`));
  const [first = hostName('mx.many.test'), ...further] = names;
  const addresses = new Map(names.map((name, index) => [name, `192.0.2.${index + 1}`]));
  let asked = 0;
  const parsed = parseAddress('alive@many.test');
  assert.ok(parsed.kind === 'valid');
  const found = await askMailbox(
    {
      address: parsed.address,
      asker,
      route: {
        kind: 'takes_mail',
        implicit: false,
        mxRecords: names,
        preferred: 1,
        first: { name: first, addresses: [addresses.get(first) ?? ''] },
        further,
      },
    },
    {
      limits: defaultLimits,
      policies: createPolicyBook({ pacing: 'off' }),
      mailPort: { isBlocked: () => ({ kind: 'open' }), takeTrial: () => true },
      resolver: {
        ipv4: (name) => Promise.resolve({ kind: 'found', records: [addresses.get(name) ?? ''] }),
        ipv6: () => Promise.resolve({ kind: 'no_data' }),
      },
      reach: { note: () => undefined, isGone: () => false },
      scheduler: {
        ask() {
          asked += 1;
          return Promise.resolve(visit);
        },
      },
    },
    { deadline: Infinity, signal: new AbortController().signal },
  );
  assert.equal(found.kind, 'no_answer');
  return asked;
}

function hostName(name: string): CanonicalHost {
  const host = canonicalHost(name);
  if (host === undefined) throw new Error(name);
  return host;
}

describe('mail hosts one after the other', () => {
  const alive = { mailboxes: { alive: 'exists' } } as const;
  async function walk(
    before: Temper[],
    check: (running: EngineInWorld, outcome: Outcome) => void,
    limits: Partial<Limits> = {},
  ): Promise<void> {
    const hosts = [...before.map((temper): HostDescription => ({ temper })), alive];
    const running = await startEngine(
      {
        zones: {
          'many.test': { mx: hosts.map((_, index): [number, string] => [index, `mx${index}.many.test`]) },
        },
        hosts: Object.fromEntries(hosts.map((host, index) => [`mx${index}.many.test`, host])),
      },
      { limits },
    );
    try {
      check(running, await running.verify('alive@many.test'));
    } finally {
      await running.stop();
    }
  }

  for (const reply of [
    '554 5.3.2 No SMTP service here',
    '450 4.3.2 System busy',
    '421 4.3.2 Come back later',
  ])
    test(`a greeting of ${reply}: the next one is asked`, () =>
      walk([{ refusal: { at: 'banner', reply } }], (_, outcome) => assert.equal(told(outcome), 'safe')));

  test('fourteen that refuse the connection before a living one are walked', () =>
    walk(
      Array.from({ length: 14 }, () => ({ dead: true })),
      (_, outcome) => assert.equal(told(outcome), 'safe'),
    ));

  test('but no more of them than the limit, beside the few that may be used', () =>
    walk(
      Array.from({ length: 14 }, () => ({ dead: true })),
      ({ engine }, outcome) => {
        assert.equal(told(outcome), 'unknown');
        assert.equal(engine.counts().dialled, 3 + defaultLimits.mailAddresses);
      },
      { mailAddressesRefusing: 3 },
    ));

  test('hosts that do not answer and hosts at rest are walked to the end', async () => {
    assert.equal(await dialled({ kind: 'not_connected' }), 20);
    assert.equal(await dialled({ kind: 'resting', reason: 'host_unreachable', forMs: undefined }), 20);
  });
});

test('a made-up recipient that was greylisted is worth asking for again soon', () =>
  at({ replies: { unknown: '450 4.2.0 <{recipient}>: Greylisted, try again later' } }, async ({ verify }) => {
    const outcome = await verify('alive0@slow.test');
    assert.ok(outcome.kind === 'verdict');
    assert.equal(outcome.explanation.reason, 'catch_all_undetermined');
    assert.deepEqual(outcome.explanation.retry, { advised: true, after_seconds: 300 });
  }));

test('a host that is not there or falls silent is worth asking again soon', async () => {
  const running = await startEngine(
    {
      zones: { 'dead.test': { mx: [[10, 'mx.dead.test']] }, 'mute.test': { mx: [[10, 'mx.mute.test']] } },
      hosts: {
        'mx.dead.test': { temper: { dead: true } },
        'mx.mute.test': { temper: { fault: { phase: 'banner', fault: 'silence' } } },
      },
    },
    { limits: { bannerMs: 200 } },
  );
  try {
    for (const domain of ['dead.test', 'mute.test']) {
      const outcome = await running.verify(`alive@${domain}`);
      assert.ok(outcome.kind === 'verdict');
      assert.deepEqual(outcome.explanation.retry, { advised: true, after_seconds: 300 }, domain);
    }
  } finally {
    await running.stop();
  }
});
