import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { greeted, hello, mail, meet, type Meeting, rcpt, say } from '../../test/support/meet.ts';
import { overTls, type RawClient } from '../../test/support/raw-client.ts';
import { faultHost, injectedHost } from '../tempers.ts';
import { type Fault, faults, furtherFaults, injections, type Phase, phases } from './temper.ts';

/** The commands before each phase, and the command that the fault answers. */
const way: Record<Phase, { before: string[]; command: string; code: string }> = {
  connect: { before: [], command: '', code: '220' },
  banner: { before: [], command: '', code: '220' },
  ehlo: { before: [], command: hello, code: '250' },
  starttls: { before: [hello], command: 'STARTTLS\r\n', code: '220' },
  mail: { before: [hello], command: mail, code: '250' },
  rcpt: { before: [hello, mail], command: rcpt('alive'), code: '250' },
  random_rcpt: { before: [hello, mail], command: rcpt('stranger'), code: '550' },
  quit: { before: [hello], command: 'QUIT\r\n', code: '221' },
};

/** Leads the client up to the phase in which the fault strikes. */
async function leadTo(phase: Phase, client: RawClient): Promise<void> {
  const { before, command } = way[phase];
  if (command === '') return;
  await client.replies(1);
  for (const earlier of before) await say(client, earlier);
  client.send(command);
}

/** The check of the client's side, for each fault. */
const seen: Record<Fault, (client: RawClient, phase: Phase, meeting: Meeting) => Promise<void>> = {
  fin: async (client, phase) => {
    const { how, text } = await client.closed();
    assert.deepEqual([how, /^(?:220-.*\r\n)?$/.test(text), text !== ''], ['fin', true, phase === 'banner']);
  },
  rst: async (client) => assert.equal((await client.closed()).how, 'rst'),
  silence: async (client, phase, meeting) => {
    await somebodyElseWasHere(meeting);
    assert.equal(client.received().replace(/^220-.*\r\n/, ''), '');
    assert.equal(client.received() !== '', phase === 'banner');
  },
  drip: async (client, phase) => assert.equal(await firstCode(client), way[phase].code),
  reply_421: async (client) => assert.match((await client.closed()).text, /^421 4\.3\.2 /),
  reply_4xx: async (client) => assert.equal(await firstCode(client), '451'),
  reply_5xx: async (client) => assert.equal(await firstCode(client), '554'),
  garbage: async (client) => {
    await client.until((received) => received.endsWith('no reply at all\r\n'));
    assert.doesNotMatch(client.received(), /^\d{3}[ -]/m);
  },
  endless_line: async (client, phase) => {
    await client.until((received) => received.length > 200_000);
    assert.equal(client.received().startsWith(`${way[phase].code} xxx`), true);
    assert.equal(client.received().includes('\n'), false);
  },
  endless_reply: async (client, phase) => {
    await client.until((received) => received.length > 200_000);
    const lines = client.received().split('\r\n').slice(0, -1);
    assert.deepEqual(new Set(lines.map((line) => line.slice(0, 4))), new Set([`${way[phase].code}-`]));
  },
  early_reply: async (client, phase) => {
    const codes = (await client.replies(2)).map((reply) => reply.slice(0, 3));
    assert.deepEqual(codes, [way[phase].code, '250']);
  },
  control_bytes: async (client, phase) => {
    await client.until((received) => received.endsWith('line feed\n'));
    assert.match(client.received(), new RegExp(`^${way[phase].code} n\\0u\\0l\\n`));
  },
  half_reply: async (client) => assert.equal((await client.closed()).text.includes('\n'), false),
  flood: async (client) => {
    await client.until((received) => received.length > 200_000);
    assert.match(client.received(), /(?:250 2\.1\.5 Ok\r\n){1000}/);
  },
  code_999: async (client) => assert.equal(await firstCode(client), '999'),
  code_354: async (client) => assert.equal(await firstCode(client), '354'),
  code_changes: async (client) => assert.match((await client.replies(1))[0]!, /^250-.*\n550-.*\n451 /),
  bare_lf: async (client) => {
    await client.until((received) => received.includes('\n'));
    assert.equal(client.received().includes('\r'), false);
  },
  nul_bytes: async (client) => {
    await client.until((received) => received.includes('\n'));
    assert.equal(client.received().includes('\0'), true);
  },
  code_alone: async (client, phase) => assert.deepEqual(await client.replies(1), [way[phase].code]),
  split_bytes: async (client, phase) => assert.equal(await firstCode(client), way[phase].code),
  http: async (client) => assert.match((await client.closed()).text, /^HTTP\/1\.1 400 /),
  ssh: async (client) =>
    client.until((received) => received.startsWith('SSH-2.0-') && received.endsWith('\r\n')),
};

async function firstCode(client: RawClient): Promise<string> {
  return (await client.replies(1))[0]?.slice(0, 3) ?? '';
}

/** Shows silence without waiting: a later question to the name server is answered first. */
async function somebodyElseWasHere({ another }: Meeting): Promise<void> {
  const visitor = await another();
  visitor.socket.end();
  await visitor.closed();
}

const cells = [
  ...phases.flatMap((phase) => faults.map((fault) => ({ phase, fault }))),
  ...furtherFaults.map(
    (fault) => ({ phase: fault === 'http' || fault === 'ssh' ? 'banner' : 'rcpt', fault }) as const,
  ),
];

describe('the matrix of faults', () => {
  test('has 8 phases and 12 faults', () => {
    assert.deepEqual([phases.length, faults.length], [8, 12]);
  });

  for (const { phase, fault } of cells) {
    test(`${fault} strikes at ${phase}, and nothing before it`, async () => {
      await meet(faultHost(phase, fault, 1), async (meeting) => {
        await leadTo(phase, meeting.client);
        await seen[fault](meeting.client, phase, meeting);
      });
    });
  }

  test('leaves a client that is led on after a dripped go-ahead with a real handshake', async () => {
    await meet(faultHost('starttls', 'drip', 1), async ({ client }) => {
      await greeted(client);
      await say(client, 'STARTTLS\r\n');
      const secure = await overTls(client);
      secure.client.send(hello);
      assert.match((await secure.client.replies(1))[0]!, /^250-/);
    });
  });
});

describe('an injected reply', () => {
  test('has twenty placements', () => assert.equal(injections.length, 20));

  for (const injection of injections) {
    const { phase, place, reply } = injection;
    test(`"${reply}" comes ${place} the right one at ${phase}, in the same segment`, async () => {
      await meet(injectedHost(injection), async ({ client }) => {
        await leadTo(phase, client);
        const found = (await client.replies(2)).map((found) => found.slice(0, 3));
        const both = [reply.slice(0, 3), way[phase].code];
        assert.deepEqual(found, place === 'before' ? both : both.reverse());
      });
    });
  }

  test('inside TLS spares what is said before the handshake', async () => {
    const injection = { phase: 'ehlo', place: 'after', reply: '250 2.1.5 Ok' } as const;
    await meet(injectedHost(injection, 'tls'), async ({ client }) => {
      await client.replies(1);
      client.send(hello);
      assert.equal((await client.replies(1)).length, 1);
      await say(client, 'STARTTLS\r\n');
      const secure = await overTls(client);
      secure.client.send(hello);
      assert.equal((await secure.client.replies(2)).length, 2);
    });
  });
});
