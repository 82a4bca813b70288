import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createPolicyBook,
  egressFor,
  parseAddress,
  systemClock,
  type CanonicalHost,
  type MailboxEvidence,
  type PolicyFile,
  type Probe,
} from '@mailproof/engine';
import { createDispatcher } from './dispatch.ts';
import type { EgressAddress } from './egress-addresses.ts';
import type { ProbeAnswer } from './probe-queue.ts';

const patience = { deadline: Infinity, signal: new AbortController().signal };

function probeFor(email: string): Probe {
  const parsed = parseAddress(email);
  assert.ok(parsed.kind === 'valid');
  const name = `mx.${parsed.address.host}` as CanonicalHost;
  return {
    address: parsed.address,
    asker: { urgency: 'single', account: 'a' },
    route: {
      kind: 'takes_mail',
      implicit: false,
      mxRecords: [name],
      preferred: 1,
      first: { name, addresses: [] },
      further: [],
    },
  };
}

function noAnswer(reason: (MailboxEvidence & { kind: 'no_answer' })['reason']): MailboxEvidence {
  return { kind: 'no_answer', reason, meaning: undefined, connected: false, host: undefined, replies: [] };
}

const heard = noAnswer('smtp_timeout');

function address(name: string, more: Partial<EgressAddress> = {}): EgressAddress {
  const kind = name.includes('/') ? 'outside' : 'inside';
  return {
    name,
    owner: 'p',
    kind,
    fence: 1,
    leaseUntil: 1,
    leftAt: 0,
    well: true,
    whyNot: '',
    share: 100,
    ...more,
  };
}

type Fixture = {
  addresses: EgressAddress[];
  ours?: string[];
  providers?: Record<string, object>;
  answer?: (egress: string | undefined) => ProbeAnswer;
};

/** Tells who was asked: `here`, or the egress address that the probe was handed to. */
function open({ addresses, ours = [], providers = {}, answer = () => heard }: Fixture) {
  const asked: string[] = [];
  const looks = { count: 0 };
  const file: PolicyFile = { providers: new Map(Object.entries(providers)), routes: [], canaries: [] };
  const dispatcher = createDispatcher({
    clock: systemClock,
    policies: createPolicyBook({ file, pacing: 'on' }),
    local: {
      ask({ egress }) {
        asked.push(`here${egress === undefined ? '' : ` ${egress}`}`);
        const found = answer(egress);
        return typeof found === 'string'
          ? Promise.reject(new Error('not of the local one'))
          : Promise.resolve(found);
      },
    },
    queue: {
      ask({ egress }) {
        asked.push(egress);
        return Promise.resolve(answer(egress));
      },
    },
    egress: () => ({
      addresses: () => addresses,
      isOurs: (name) => ours.includes(name),
      areAllOurs: () => addresses.length > 0 && addresses.every(({ name }) => ours.includes(name)),
      shared: () => ours,
      problem: () => undefined,
      unproven: () => [],
      onChange: () => undefined,
      look: () => Promise.resolve(void (looks.count += 1)),
      stop: () => Promise.resolve(),
    }),
  });
  return { asked, looks, ask: (email: string) => dispatcher.ask(probeFor(email), patience) };
}

const everyone = ['a', 'b', 'c', 'office/default'];
const firstFor = (group: string, among = everyone) =>
  egressFor({ group, spread: 1, mailbox: '' }, among)[0] ?? '';

describe('who asks for a mailbox', () => {
  it('this process, without a word about which of its addresses, where all are its own', async () => {
    const { ask, asked } = open({ addresses: [address('a'), address('b')], ours: ['a', 'b'] });
    assert.equal(await ask('x@one.example'), heard);
    assert.deepEqual(asked, ['here']);
  });

  it('the owner of the address that its hosts rank first, here or elsewhere', async () => {
    const addresses = everyone.map((name) => address(name));
    const domains = Array.from({ length: 40 }, (_, n) => `d${n}.example`);
    const { ask, asked } = open({ addresses, ours: ['a'] });
    for (const domain of domains) await ask(`x@${domain}`);
    const wanted = domains.map((domain) => firstFor(domain)).map((name) => (name === 'a' ? 'here a' : name));
    assert.deepEqual(asked, wanted);
    assert.equal(new Set(asked).size, 4);
  });

  it('this process, which sends nothing, where the installation does not ask the provider: no prober decides that', async () => {
    const unasked = noAnswer('provider_policy');
    const { ask, asked } = open({
      addresses: [address('office/default')],
      providers: { 'one.example': { asking: 'skip' } },
      answer: () => unasked,
    });
    assert.equal(await ask('x@one.example'), unasked);
    assert.deepEqual(asked.splice(0), ['here']);
    await ask('x@two.example');
    assert.deepEqual(asked, ['office/default']);
  });

  it('only one that the policy allows, and each mailbox of a spread provider always the same one', async () => {
    const providers = {
      'one.example': { routes: ['b'] },
      'big.example': { spread: 4 },
    };
    const { ask, asked } = open({ addresses: everyone.map((name) => address(name)), providers });
    await ask('x@one.example');
    assert.deepEqual(asked.splice(0), ['b']);
    for (let n = 0; n < 60; n += 1) await ask(`x${n % 30}@big.example`);
    assert.deepEqual(asked.slice(0, 30), asked.slice(30));
    assert.equal(new Set(asked).size, 4);
  });

  it('the next where the first cannot ask; where none can, one of ours says why, and none outside is believed', async () => {
    const well = (name: string) => name !== firstFor('one.example');
    const some = open({ addresses: everyone.map((name) => address(name, { well: well(name) })) });
    await some.ask('x@one.example');
    assert.deepEqual(some.asked, [firstFor('one.example', everyone.filter(well))]);
    const blocked = noAnswer('mail_port_blocked');
    const none = open({
      addresses: everyone.map((name) => address(name, { well: false })),
      answer: () => blocked,
    });
    assert.equal(await none.ask('x@one.example'), blocked);
    assert.deepEqual(none.asked, [firstFor('one.example', ['a', 'b', 'c'])]);
    const outside = open({ addresses: [address('office/default', { well: false })] });
    assert.deepEqual(await outside.ask('x@one.example'), noAnswer('no_prober'));
    assert.deepEqual(outside.asked, []);
  });

  it('nobody where no address has an owner, and that is said at once', async () => {
    const { ask, asked, looks } = open({ addresses: [] });
    assert.deepEqual(await ask('x@one.example'), noAnswer('no_prober'));
    assert.deepEqual([asked, looks.count], [[], 0]);
  });

  it('another, where evidence cannot be read; and nobody where there is no other', async () => {
    const addresses = ['one/default', 'two/default'].map((name) => address(name, { owner: name }));
    const [first = ''] = egressFor({ group: 'one.example', spread: 1, mailbox: '' }, [
      'one/default',
      'two/default',
    ]);
    const some = open({ addresses, answer: (egress) => (egress === first ? 'unreadable' : heard) });
    assert.equal(await some.ask('x@one.example'), heard);
    assert.equal(some.asked.length, 2);
    const none = open({ addresses, answer: () => 'unreadable' });
    assert.deepEqual(await none.ask('x@one.example'), noAnswer('no_prober'));
    assert.equal(none.asked.length, 2, 'each once');
  });

  it('a prober outside has no more of the addresses than its share, always the same ones', async () => {
    const addresses = [address('bound/default', { owner: 'b', share: 25 }), address('open/default')];
    const emails = Array.from({ length: 400 }, (_, n) => `x@d${n}.example`);
    const ofBound = async () => {
      const { ask, asked } = open({ addresses });
      for (const email of emails) await ask(email);
      return asked.map((name) => name === 'bound/default');
    };
    const first = await ofBound();
    const share = first.filter(Boolean).length / emails.length;
    // Half of those that it may be asked about meet the other first.
    assert.ok(share > 0.05 && share <= 0.25, `${share}`);
    assert.deepEqual(await ofBound(), first);
    const alone = open({ addresses: addresses.slice(0, 1) });
    for (const email of emails) await alone.ask(email);
    assert.ok(alone.asked.length > 60 && alone.asked.length < 140, `${alone.asked.length} of 400`);
  });

  it('whoever has the address now, where it changed hands before anything was sent, but not for ever', async () => {
    let tries = 0;
    const moved = open({
      addresses: [address('a')],
      answer: () => ((tries += 1) < 3 ? 'ask_another' : heard),
    });
    assert.equal(await moved.ask('x@one.example'), heard);
    assert.deepEqual([moved.asked.length, moved.looks.count], [3, 2]);
    const lost = open({ addresses: [address('a')], ours: ['a'], answer: () => noAnswer('no_prober') });
    assert.deepEqual(await lost.ask('x@one.example'), noAnswer('no_prober'));
    assert.equal(lost.asked.length, 5);
  });
});
