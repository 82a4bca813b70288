/** Single verification: every row of the verdict table and of the table of failures, one request each. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Answered } from '../support/api-client.ts';
import { disposableDomain, freeDomain, listedPlaces, writeTraps } from './listed-domains.ts';
import { startServiceInWorld, type RunningService } from './running-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-traps-'));
let service: RunningService;

before(async () => {
  service = await startServiceInWorld({
    settings: { MAILPROOF_SPAMTRAPS_FILE: writeTraps(join(folder, 'traps')) },
    places: {
      zones: {
        ...listedPlaces.zones,
        'two-hosts.test': {
          mx: [
            [20, 'Backup.Two-Hosts.test'],
            [10, 'MX.two-hosts.test'],
          ],
        },
        'shrugs.test': { mx: [[10, 'mx.shrugs.test']] },
      },
      hosts: {
        ...listedPlaces.hosts,
        'mx.two-hosts.test': { mailboxes: { alive: 'exists' } },
        'backup.two-hosts.test': {},
        'mx.shrugs.test': {
          mailboxes: { alive: 'exists' },
          temper: { replies: { unknown: '451 4.3.0 Temporary lookup failure' } },
        },
      },
    },
  });
});
after(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

const verify = (email: string, path?: string): Promise<Answered> =>
  service.client.verify(service.first.key, email, path === undefined ? {} : { path });

/**
 * Asserts the status of an address. The client checks fields and scores for every answer; here are the statuses and
 * what varies.
 */
async function expectStatus(
  email: string,
  status: string,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { status: code, headers, body } = await verify(email);
  assert.equal(code, 200, `${email}: ${JSON.stringify(body)}`);
  const expected = { email, status, ...more };
  const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, body[name]]));
  assert.deepEqual(seen, expected, JSON.stringify(body));
  assert.equal(headers['x-credits-used'], status === 'unknown' ? '0' : '1', email);
}

test('an address that is accepted where a random one is refused is safe, field by field', async () => {
  const { body } = await verify('alive@plain.test');
  assert.deepEqual(body, {
    email: 'alive@plain.test',
    status: 'safe',
    overall_score: 96,
    username: 'alive',
    domain: 'plain.test',
    is_safe_to_send: true,
    is_valid_syntax: true,
    mx_accepts_mail: true,
    can_connect_smtp: true,
    has_inbox_full: false,
    is_deliverable: true,
    is_disposable: false,
    is_role_account: false,
    is_catch_all: false,
    is_disabled: false,
    is_spamtrap: false,
    is_free_email: false,
    mx_records: ['mx.plain.test'],
    verification_mode: 'power',
  });
});

describe('the verdict table', () => {
  const closed = { mx_records: [], mx_accepts_mail: false, can_connect_smtp: false };
  test('row 1: a domain that cannot receive mail is invalid, with nothing true and no mail host', async () => {
    for (const domain of ['nxdomain.test', 'nullmx.test', 'nodata.test', 'mx-nowhere.test'])
      await expectStatus(`x@${domain}`, 'invalid', closed);
  });
  test('row 1 outranks row 2: a trap at a domain that does not exist is invalid', () =>
    expectStatus('trap@nxdomain.test', 'invalid', { ...closed, is_spamtrap: true }));
  test('row 2: an address on the list of traps is a spamtrap, and its mail host is not asked', async () => {
    const before = service.world.hosts['mx.plain.test']?.counts.connections;
    await expectStatus('trap@plain.test', 'spamtrap', {
      mx_accepts_mail: true,
      mx_records: ['mx.plain.test'],
    });
    assert.equal(service.world.hosts['mx.plain.test']?.counts.connections, before);
  });
  test('row 3: a disposable domain, a name below it or its mail host is disposable, and is not asked', async () => {
    const mail = { mx_accepts_mail: true, is_free_email: false };
    await expectStatus(`alive@${disposableDomain}`, 'disposable', mail);
    await expectStatus('alive@deep.throwaway.test', 'disposable', mail);
    const hosts = ['mx.throwaway.test', ...Object.keys(listedPlaces.hosts)];
    for (const host of hosts.filter((name) => name !== 'mx.free.test'))
      assert.equal(service.world.hosts[host]?.counts.connections, 0, host);
  });
  test('row 4: a mailbox that the server does not know is invalid, the domain being sound', () =>
    expectStatus('unknown@plain.test', 'invalid', {
      mx_accepts_mail: true,
      can_connect_smtp: true,
      mx_records: ['mx.plain.test'],
    }));
  test('row 5: a disabled mailbox is disabled', () => expectStatus('disabled@plain.test', 'disabled'));
  test('row 6: a full mailbox is inbox_full, by 552 and by 452', async () => {
    await expectStatus('full@plain.test', 'inbox_full');
    await expectStatus('full-for-now@plain.test', 'inbox_full');
  });
  test('row 7: accepted like any other is catch_all, a role too', async () => {
    await expectStatus('anyone@catchall.test', 'catch_all', { is_role_account: false });
    await expectStatus('support@catchall.test', 'catch_all', { is_role_account: true });
  });
  test('row 8: an accepted role is role_account', () => expectStatus('support@plain.test', 'role_account'));
  test('row 8: a role that nobody should write to in bulk is a role_account, deliverable and not safe to send', async () => {
    await expectStatus('abuse@plain.test', 'role_account', { is_deliverable: true, is_safe_to_send: false });
    await expectStatus('abuse@catchall.test', 'catch_all', { is_role_account: true, is_safe_to_send: false });
  });
  test('a role adds nothing to the score of a catch-all', async () => {
    const [plain, role] = [await verify('anyone@catchall.test'), await verify('support@catchall.test')];
    assert.equal(role.body['overall_score'], plain.body['overall_score']);
  });
  test('row 9: safe at a free provider', () =>
    expectStatus(`alive@${freeDomain}`, 'safe', { is_free_email: true }));
  test('row 10: anything else is unknown, with exactly the fields that do not need an answer', async () => {
    const { body } = await verify('busy@plain.test');
    assert.deepEqual(body, {
      email: 'busy@plain.test',
      status: 'unknown',
      username: 'busy',
      domain: 'plain.test',
      is_valid_syntax: true,
      mx_accepts_mail: true,
      is_disposable: false,
      is_role_account: false,
      is_free_email: false,
      mx_records: ['mx.plain.test'],
      verification_mode: 'power',
    });
  });
  test('accepted, but whether made-up addresses are too cannot be found out: unknown', () =>
    expectStatus('alive@shrugs.test', 'unknown'));
});

describe('reading a reply', () => {
  test('quota words outrank 5.1.1, a policy code does not hide "no such user", a block list says nothing of the mailbox', async () => {
    await expectStatus('full@comcast-like.test', 'inbox_full');
    await expectStatus('nobody@yandex-like.test', 'invalid');
    await expectStatus('alive@blocked-rcpt.test', 'unknown');
  });
  test('a 4xx is never invalid or disabled', () => expectStatus('deferred@plain.test', 'unknown'));
});

describe('what a result says of address and domain', () => {
  test('mx_records are in order of preference, in lower case and without a dot', () =>
    expectStatus('alive@two-hosts.test', 'safe', {
      mx_records: ['mx.two-hosts.test', 'backup.two-hosts.test'],
    }));
  test('without MX the domain itself is the mail host', () =>
    expectStatus('alive@implicit.test', 'safe', { mx_accepts_mail: true, mx_records: ['implicit.test'] }));
  test('username and domain are as submitted, the domain in lower case, an internationalised one in Unicode', async () => {
    const mixed = { username: 'Alive', domain: 'plain.test' };
    await expectStatus('Alive@PLAIN.Test', 'safe', mixed);
    await expectStatus('alive@bücher.test', 'safe', { username: 'alive', domain: 'bücher.test' });
  });
});

describe('failure', () => {
  const remoteFaults = [
    'dead',
    'http',
    'busy-banner',
    'greylist',
    'blocked-banner',
    'fin-at-rcpt',
    'reply-421-at-mail',
    'flood-at-rcpt',
  ];
  for (const place of remoteFaults) {
    test(`a mail host that fails us is unknown and free: ${place}`, () =>
      expectStatus(`alive@${place}.test`, 'unknown'));
  }
  test('a mail host at forbidden addresses only is unknown', async () => {
    for (const place of ['private', 'metadata', 'multicast'])
      await expectStatus(`x@${place}.test`, 'unknown');
  });

  test('DNS that fails is 502 verification_unavailable and free, for SERVFAIL and REFUSED', async () => {
    const before = await service.balance(service.first);
    for (const place of ['servfail', 'refused']) {
      const { status, body } = await verify(`x@${place}.test`);
      assert.deepEqual([status, body['reason']], [502, 'verification_unavailable'], place);
    }
    assert.deepEqual(await service.balance(service.first), before);
  });
});

test('explain=true adds the evidence: stage, reason, retry, mail host and replies, and anything else adds nothing', async () => {
  const path = '/api/v1/email-verification';
  const safe = await verify('alive@plain.test', `${path}?explain=true`);
  const { stage, reason, retry, mail_host, replies } = safe.body['explanation'] as Record<string, unknown>;
  assert.deepEqual(
    { stage, reason, retry, mail_host },
    { stage: 'smtp', reason: 'mailbox_accepted', retry: { advised: false }, mail_host: 'mx.plain.test' },
  );
  assert.ok(
    (replies as { phase: string; code: number }[]).some(
      ({ phase, code }) => phase === 'rcpt' && code === 250,
    ),
  );

  const grey = await verify('alive@greylist.test', `${path}?explain=true`);
  const told = grey.body['explanation'] as Record<string, unknown>;
  assert.deepEqual([told['reason'], told['retry']], ['greylisted', { advised: true, after_seconds: 300 }]);

  const closed = await verify('x@nullmx.test', `${path}?explain=true`);
  assert.equal((closed.body['explanation'] as Record<string, unknown>)['stage'], 'dns');
  for (const query of [
    '?explain=false',
    '?explain=',
    '?explain=1',
    '?other=true',
    '?explain=true&explain=false',
  ])
    assert.equal((await verify('x@nullmx.test', `${path}${query}`)).body['explanation'], undefined, query);
});

test('every conclusive answer was charged one credit, no other one any', async () => {
  const balance = await service.balance(service.first);
  assert.equal(balance.granted, 1000);
  assert.equal(balance.reserved, 0);
  const before = balance.spent;
  await verify('alive@plain.test');
  await verify('alive@dead.test');
  await verify('unknown@plain.test');
  assert.equal((await service.balance(service.first)).spent, before + 2);
});

test('with MAILPROOF_PACING=off one mail host is asked fifteen times in a row without the second between', async () => {
  const timeFifteen = async (email: (n: number) => string): Promise<number> => {
    const startedAt = performance.now();
    for (let n = 0; n < 15; n += 1) assert.equal((await verify(email(n))).body['status'], 'invalid');
    return performance.now() - startedAt;
  };
  // Addresses without a mail host show how fast this machine is at the moment.
  const withoutHostMs = await timeFifteen((n) => `x${n}@nullmx.test`);
  const tookMs = await timeFifteen((n) => `nobody${n}@plain.test`);
  assert.ok(tookMs < 7_000 + 10 * withoutHostMs, `${tookMs} ms, ${withoutHostMs} ms without a host`);
});

test('nothing was said to a mail host that the protocol does not allow', () => {
  assert.deepEqual(service.world.violations, []);
});
