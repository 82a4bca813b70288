import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startWorld, type HostDescription, type Zone } from '@mailproof/world';
import { checkNode, checkWallClock } from './check-machine.ts';
import { runHere } from '../../test/support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-doctor-'));
after(() => rmSync(folder, { recursive: true }));

const mailHost = 'mx.probe.test';
const probe: Zone = { a: ['127.0.0.1'], mx: [[10, mailHost]], txt: ['hello', 'v=spf1 ip4:127.0.0.1 -all'] };

type Fixture = {
  zone?: Zone;
  reverse?: Zone;
  host?: HostDescription;
  env?: Record<string, string>;
  denyAllNames?: boolean;
};
type Finding = { check: string; state: string; seen: string; remedy?: string };

describe('doctor', { concurrency: 4 }, () => {
  test('finds nothing wrong where nothing is, and ends with 0', async () => {
    const { code, findings } = await examine({});
    assert.equal(code, 0);
    const states = findings.map(
      ({ check, state }) => `${check.replace(/\d{4,}/, 'N').replace('127.0.0.1:N', 'S')}: ${state}`,
    );
    assert.deepEqual(states, [
      'Node: ok',
      'clock: ok',
      'data directory: ok',
      'database: not_checked',
      'workers: not_checked',
      'resolver S: ok',
      'outbound port N: ok',
      'HELO name: ok',
      'sender domain: ok',
      'egress address: ok',
      'reverse DNS: ok',
      'SPF: ok',
      'callback: ok',
      'probers: not_checked',
      'routes: not_checked',
      'block lists: ok',
      'egress: warning',
      'mail port: warning',
    ]);
  });

  const troubles: { fixture: Fixture; check: RegExp; state: string; seen: RegExp; title: string }[] = [
    {
      title: 'an egress address on a block list',
      fixture: { env: { MAILPROOF_PUBLIC_ADDRESS: '203.0.113.7', MAILPROOF_BLOCK_LISTS: 'listing.test' } },
      check: /^block lists/,
      state: 'problem',
      seen: /lists 203\.0\.113\.7/,
    },
    {
      title: 'a HELO name without an address',
      fixture: { zone: { mx: [[10, mailHost]] } },
      check: /^HELO/,
      state: 'problem',
      seen: /probe\.test has no IP address in DNS/,
    },
    {
      title: 'an address that points to another name',
      fixture: { reverse: { ptr: ['host-1.provider.example'] } },
      check: /^HELO/,
      state: 'problem',
      seen: /127\.0\.0\.1 has the reverse DNS name host-1\.provider\.example/,
    },
    {
      title: 'an address that points nowhere',
      fixture: { reverse: {} },
      check: /^HELO/,
      state: 'problem',
      seen: /127\.0\.0\.1 has no reverse DNS name/,
    },
    {
      title: 'a HELO name of this machine alone',
      fixture: { env: { MAILPROOF_HELO_NAME: 'box.localdomain' } },
      check: /^HELO/,
      state: 'problem',
      seen: /not a name that others can look up/,
    },
    {
      title: 'a sender domain that does not exist',
      fixture: { env: { MAILPROOF_MAIL_FROM: 'verify@nowhere.test' } },
      check: /^sender/,
      state: 'problem',
      seen: /nowhere\.test does not exist/,
    },
    {
      title: 'a sender domain that takes no mail',
      fixture: { zone: { ...probe, mx: [[0, '.']] } },
      check: /^sender/,
      state: 'problem',
      seen: /null MX/,
    },
    {
      title: 'a sender domain without SPF',
      fixture: { zone: { ...probe, txt: ['hello'] } },
      check: /^SPF/,
      state: 'warning',
      seen: /no SPF record/,
    },
    {
      title: 'SPF that does not let our address send',
      fixture: { zone: { ...probe, txt: ['v=spf1 ip4:192.0.2.1 -all'] } },
      check: /^SPF/,
      state: 'problem',
      seen: /SPF of probe\.test for 127\.0\.0\.1: fail \(-all of probe\.test\)/,
    },
    {
      title: 'SPF that cannot be evaluated, because our address is not known',
      fixture: { env: { MAILPROOF_PUBLIC_ADDRESS: '' } },
      check: /^SPF/,
      state: 'not_checked',
      seen: /not evaluated without an address; probe\.test has v=spf1/,
    },
    {
      title: 'an address behind NAT that nobody stated',
      fixture: { env: { MAILPROOF_PUBLIC_ADDRESS: '' } },
      check: /^egress address/,
      state: 'not_checked',
      seen: /not known here/,
    },
    {
      title: 'a HELO name that does not resolve to the address that is seen',
      fixture: { env: { MAILPROOF_PUBLIC_ADDRESS: '127.0.0.9' } },
      check: /^egress address/,
      state: 'problem',
      seen: /resolves to 127\.0\.0\.1, and mail hosts see us come from 127\.0\.0\.9/,
    },
    {
      title: 'an IPv6 address without reverse DNS',
      fixture: { zone: { ...probe, aaaa: ['::1'] }, env: { MAILPROOF_PUBLIC_ADDRESS: '::1' } },
      check: /^reverse DNS/,
      state: 'problem',
      seen: /::1 has no reverse DNS name/,
    },
    {
      title: 'a reverse DNS name that does not lead back',
      fixture: { reverse: { ptr: ['mx.other.test'] } },
      check: /^reverse DNS/,
      state: 'problem',
      seen: /127\.0\.0\.1 has the reverse DNS name mx\.other\.test, which does not lead back/,
    },
    {
      title: 'a sender that its own mail host does not know',
      fixture: { host: { mailboxes: { postmaster: 'exists' } } },
      check: /^callback/,
      state: 'problem',
      seen: /refuses mail to the sender verify@probe\.test: 550/,
    },
    {
      title: 'a postmaster that nobody is',
      fixture: { host: { mailboxes: { verify: 'exists' } } },
      check: /^callback/,
      state: 'warning',
      seen: /refuses mail to postmaster@probe\.test: 550/,
    },
    {
      title: 'a sender domain with two SPF records',
      fixture: { zone: { ...probe, txt: ['v=spf1 -all', 'v=spf1 ~all'] } },
      check: /^SPF/,
      state: 'warning',
      seen: /2 SPF records/,
    },
    {
      title: 'a resolver that refuses',
      fixture: { zone: { behaviour: 'refused' } },
      check: /^resolver/,
      state: 'problem',
      seen: /refused/,
    },
    {
      title: 'a resolver that fails',
      fixture: { zone: { behaviour: 'servfail' } },
      check: /^resolver/,
      state: 'warning',
      seen: /servfail/,
    },
    {
      title: 'a resolver that is silent',
      fixture: { zone: { behaviour: 'silent' } },
      check: /^resolver/,
      state: 'problem',
      seen: /did not answer/,
    },
    {
      title: 'a resolver that denies what exists',
      fixture: { denyAllNames: true },
      check: /^resolver/,
      state: 'problem',
      seen: /denies what is known to exist: gmail\.com, outlook\.com, icloud\.com/,
    },
    {
      title: 'a name of the operator that must exist and does not',
      fixture: { env: { MAILPROOF_RESOLVER_PROBES: 'probe.test,nowhere.test' } },
      check: /^resolver/,
      state: 'problem',
      seen: /denies what is known to exist: nowhere\.test$/,
    },
    {
      title: 'denials that are believed as they come',
      fixture: { env: { MAILPROOF_RESOLVER_PROBES: 'none' } },
      check: /^resolver/,
      state: 'warning',
      seen: /denials are believed as they come/,
    },
    {
      title: 'a connection that is refused proves that the port is open',
      fixture: { host: { temper: { dead: true } } },
      check: /^outbound/,
      state: 'warning',
      seen: /^open, but mx\.probe\.test \(127\.\S+\) refuses connections/,
    },
    {
      title: 'a mail host that refuses us',
      fixture: { host: { temper: { banner: '554 5.7.1 no \u001b[2J service' } } },
      check: /^outbound/,
      state: 'warning',
      seen: /open, but mx\.probe\.test answered: 554 5\.7\.1 no \\u\{1b\}/,
    },
    {
      title: 'a mail host that says nothing',
      fixture: { host: { temper: { replyDelayMs: 60_000 } } },
      check: /^outbound/,
      state: 'warning',
      seen: /sent nothing/,
    },
    {
      title: 'a mail host in a private network',
      fixture: { env: { MAILPROOF_EGRESS_ALLOW: '' } },
      check: /^outbound/,
      state: 'not_checked',
      seen: /not a public IP address/,
    },
    {
      title: 'no mail host to try port 25 on',
      fixture: { zone: { ...probe, mx: [[0, '.']] } },
      check: /^outbound/,
      state: 'not_checked',
      seen: /has no mail server to test with/,
    },
    {
      title: 'pacing switched off',
      fixture: { env: { MAILPROOF_PACING: 'off' } },
      check: /^pacing/,
      state: 'warning',
      seen: /MAILPROOF_PACING=off/,
    },
    {
      title: 'a data directory that cannot be made',
      fixture: { env: { MAILPROOF_DATA_DIR: '/dev/null/data' } },
      check: /^data/,
      state: 'problem',
      seen: /\/dev\/null/,
    },
  ];
  for (const { title, fixture, check, state, seen } of troubles) {
    test(`${title}: ${state}, with what was seen${state === 'not_checked' ? '' : ' and the remedy'}`, async () => {
      const { code, findings } = await examine(fixture);
      const found = findings.find((finding) => check.test(finding.check));
      assert.equal(found?.state, state, JSON.stringify(found));
      assert.match(found.seen, seen);
      assert.ok(found.remedy !== undefined || state === 'not_checked');
      if (check.source === '^outbound' && state === 'not_checked')
        assert.match(found.remedy ?? '', /docs\/probers\.md/, 'says where to go on');
      assert.equal(code, findings.some((finding) => finding.state === 'problem') ? 1 : 0);
    });
  }

  test('tries port 25 on the canaries, where the providers file names some', async () => {
    const file = join(folder, 'providers.json');
    writeFileSync(file, JSON.stringify({ canaries: ['mx.other.test'] }));
    const { findings } = await examine({
      host: { temper: { dead: true } },
      env: { MAILPROOF_PROVIDERS_FILE: file },
    });
    const found = findings.find(({ check }) => check.startsWith('outbound'));
    assert.equal(found?.state, 'ok');
    assert.match(found.seen, /mx\.other\.test answered: 220/);
  });

  test('a providers file that cannot be used ends with 3 and names the setting', async () => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, '{"canaries": 5}');
    const { code, stdout, stderr } = await runHere(['doctor'], { env: { MAILPROOF_PROVIDERS_FILE: file } });
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /^mailproof: MAILPROOF_PROVIDERS_FILE .*\n$/);
  });

  test('speaks to the mail host it tried no more than it must, and says goodbye', async () => {
    const world = await startWorld({ zones: { 'probe.test': probe }, hosts: { [mailHost]: {} } });
    try {
      await runHere(['doctor', '--json'], { env: world.environment });
      // The goodbye is on its way when the report is out.
      const patienceEnds = performance.now() + 10_000;
      while (world.counts.smtp.commands['QUIT'] !== 2 && performance.now() < patienceEnds)
        await setImmediate();
      assert.deepEqual(world.counts.smtp.commands, { EHLO: 1, MAIL: 1, RCPT: 2, QUIT: 2 });
      assert.equal(world.counts.smtp.connections, 2);
    } finally {
      await world.stop();
    }
  });

  test('in words each finding has its remedy below, within 80 columns', async () => {
    const world = await startWorld({ zones: { 'probe.test': {} }, hosts: { 'mx.other.test': {} } });
    try {
      const { code, stdout } = await runHere(['doctor'], { env: world.environment });
      assert.equal(code, 1);
      assert.match(
        stdout,
        /^problem +HELO name: probe\.test has no IP address in DNS\n +→ Set MAILPROOF_HELO_NAME/m,
      );
      assert.deepEqual(
        stdout.split('\n').filter((line) => line.length > 80),
        [],
      );
    } finally {
      await world.stop();
    }
  });
});

test('a Node that is too old and a clock that cannot be right are problems', () => {
  assert.equal(checkNode('22.1.0').state, 'problem');
  assert.equal(checkNode('26.0.0').state, 'ok');
  assert.equal(checkWallClock(Date.UTC(2000, 0)).state, 'problem');
  assert.equal(checkWallClock(Date.UTC(2150, 0)).state, 'problem');
  assert.equal(checkWallClock(Date.now()).state, 'ok');
});

async function examine({
  zone = probe,
  reverse,
  host = { mailboxes: { verify: 'exists', postmaster: 'exists' } },
  env = {},
  denyAllNames = false,
}: Fixture): Promise<{ code: number | null; findings: Finding[] }> {
  const description = {
    zones: { 'probe.test': zone, ...(reverse === undefined ? {} : { '1.0.0.127.in-addr.arpa': reverse }) },
    // The world's port is that of its living hosts, so there is always one.
    hosts: { [mailHost]: host, 'mx.other.test': {} },
    blockLists: { 'bl.test': [], 'listing.test': ['203.0.113.7'] },
  };
  const world = await startWorld(description, { denyAllNames });
  try {
    const { code, stdout } = await runHere(['doctor', '--json'], {
      env: {
        ...world.environment,
        MAILPROOF_PACING: 'on',
        MAILPROOF_PUBLIC_ADDRESS: '127.0.0.1',
        MAILPROOF_BLOCK_LISTS: 'bl.test',
        ...env,
      },
    });
    const report = JSON.parse(stdout) as { ok: boolean; checks: Finding[] };
    assert.equal(report.ok, code === 0);
    assert.deepEqual(world.violations, []);
    return { code, findings: report.checks };
  } finally {
    await world.stop();
  }
}
