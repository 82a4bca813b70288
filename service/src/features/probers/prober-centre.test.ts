import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createPolicyBook, systemClock } from '@mailproof/engine';
import { sqlite } from '../../../test/support/databases.ts';
import type { ProbeExchange } from './probe-exchange.ts';
import type { LeasedProbe, ProbeResult } from './probe-source.ts';
import { createProberCentre } from './prober-centre.ts';
import type { ProberControls } from './prober-controls.ts';
import { addProber, enrolProber, makeProberSecret } from './prober-records.ts';

function leased(probe: string, account: string): LeasedProbe {
  const first = { name: 'mx.example.com', addresses: ['192.0.2.1'] };
  return {
    probe,
    lease: 'lease',
    fence: 1,
    egress: 'office/default',
    question: { email: 'ann@example.com', implicit: false, mx: ['mx.example.com'], first, further: [] },
    asker: { urgency: 'single', account },
    withinMs: 20_000,
  };
}

const noControls: ProberControls = {
  missing: () => undefined,
  checkIfDue: () => undefined,
  count: () => undefined,
  stop: () => undefined,
};

async function setUp(t: TestContext, probes: LeasedProbe[] = []) {
  const { store, close } = await sqlite.open();
  t.after(close);
  const parts = { store, wallClock: store.clock ?? Date, actor: 'command_line' as const };
  const reports: ProbeResult[] = [];
  const exchange: ProbeExchange = {
    lease: () => Promise.resolve(probes),
    report({ results }) {
      reports.push(...results);
      return Promise.resolve({ counted: [...results], ended: [], withdrawn: [] });
    },
    close: () => undefined,
  };
  const centre = createProberCentre({
    ...parts,
    clock: systemClock,
    exchange,
    controls: noControls,
    policies: createPolicyBook({ file: undefined, pacing: 'on' }),
    onProblem: (message, error) => assert.fail(`${message} ${String(error)}`),
  });
  t.after(() => centre.close());
  async function enrol(name: string) {
    const added = await addProber(name, parts);
    assert.ok(added.kind === 'added');
    const secret = makeProberSecret();
    await enrolProber({ token: added.token, secret }, parts);
    const prober = await centre.authenticate(`Bearer ${secret}`);
    assert.ok(prober);
    return prober;
  }
  const order = { version: '0', places: 9, egress: ['default'], wait_ms: 0, conversations: 0, resting: 0 };
  const leaseAs = async (prober: Awaited<ReturnType<typeof enrol>>, instance = 'instance-1') => {
    const signal = new AbortController().signal;
    const from = { prober, protocol: 1, address: '', signal, isStillKnown: () => Promise.resolve(true) };
    const answer = await centre.lease({ ...order, instance }, from);
    assert.ok(answer !== 'removed');
    return answer;
  };
  return { centre, reports, enrol, leaseAs };
}

describe('what a prober outside is told, and what it is heard for', () => {
  it('an account is a tag that means something to this prober alone, and never its id', async (t) => {
    const accounts = ['acct_0123456789abcdef', 'acct_fedcba9876543210'];
    const probes = [leased('a', accounts[0]!), leased('b', accounts[0]!), leased('c', accounts[1]!)];
    const { enrol, leaseAs } = await setUp(t, probes);
    const [one, other] = [await leaseAs(await enrol('one')), await leaseAs(await enrol('other'))];
    for (const answer of [one, other])
      for (const account of accounts) assert.ok(!JSON.stringify(answer).includes(account.slice(5)));
    const [a, b, c] = one.probes.map(({ tag }) => tag);
    assert.ok(a === b && a !== c, 'who takes turns with whom is told');
    assert.notEqual(other.probes[0]?.tag, a);
  });

  it('it has a little less time than its asker, so that its report is there in time', async (t) => {
    const { enrol, leaseAs } = await setUp(t, [leased('a', 'acct_a')]);
    const { probes } = await leaseAs(await enrol('one'));
    assert.equal(probes[0]?.within_ms, 19_000);
  });

  it('a report of an instance that does not work for the prober counts for nothing', async (t) => {
    const { centre, reports, enrol, leaseAs } = await setUp(t);
    const prober = await enrol('one');
    await leaseAs(prober, 'instance-1');
    const results = [{ probe: 'a', lease: 'lease', fence: 1, evidence: null }];
    const report = (instance: string) =>
      centre.report({ instance, results, learned: [], renew: ['lease'] }, { prober, protocol: 1 });
    assert.deepEqual(await report('instance-0'), { ended: ['lease'] });
    assert.deepEqual(reports, []);
    await report('instance-1');
    assert.equal(reports.length, 1);
  });
});
