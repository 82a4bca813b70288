import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { standardCast, standardWorld, startWorld, type World } from '@mailproof/world';
import { whileRunning } from '../../../engine/test/support/machine.ts';
import { runHere } from '../../test/support/run-here.ts';
import { runMailproof, startMailproof } from '../../../service/test/support/mailproof.ts';

/** Domains of a list, ten addresses each. */
const listDomains = Array.from({ length: 20 }, (_, i) => `list${i}.test`);
const folder = mkdtempSync(join(tmpdir(), 'mailproof-verify-'));
let world: World;

before(async () => {
  const { zones, hosts } = standardWorld();
  world = await startWorld({
    zones: {
      ...zones,
      'waits.test': { mx: [[10, 'mx.waits.test']] },
      ...Object.fromEntries(listDomains.map((domain) => [domain, { mx: [[10, `mx.${domain}`]] }])),
    },
    hosts: {
      ...hosts,
      'mx.waits.test': { temper: { replyDelayMs: 60_000 } },
      ...Object.fromEntries(listDomains.map((domain) => [`mx.${domain}`, { temper: { replyDelayMs: 20 } }])),
    },
  });
});
after(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

type Row = {
  email: string;
  status?: string;
  error?: string;
  explanation?: { stage: string; reason: string };
};

/** Everybody whose answer does not hang on this machine, on lists or on patience. */
const cast = standardCast.filter(({ slow, needs }) => slow !== true && needs === undefined);

test('a resolver that turns makes nobody dead: each has an error, and a verdict once it tells the truth', async () => {
  const domains = Array.from({ length: 100 }, (_, number) => `d${number}.test`);
  const people = Array.from({ length: 20 }, (_, number) => `person${number}`);
  const mailboxes = Object.fromEntries(people.map((person) => [person, 'exists' as const]));
  const turning = await startWorld({
    zones: Object.fromEntries(domains.map((domain) => [domain, { mx: [[10, `mx.${domain}`]] }])),
    hosts: Object.fromEntries(domains.map((domain) => [`mx.${domain}`, { mailboxes }])),
  });
  const file = join(folder, 'living.txt');
  const living = domains.flatMap((domain) => people.map((person) => `${person}@${domain}`));
  writeFileSync(file, living.join('\n'));
  const said = async () => {
    const { stdout } = await runHere(['verify', '--file', file, '--json'], { env: turning.environment });
    return Object.entries(Object.groupBy(rowsOf(stdout), ({ status, error }) => status ?? error ?? '')).map(
      ([word, rows]) => [word, rows?.length],
    );
  };
  try {
    for (const how of ['no_such_name', 'null_address'] as const) {
      turning.turnResolver(how);
      assert.deepEqual(await said(), [['verification_unavailable', living.length]], how);
    }
    turning.turnResolver('truthful');
    assert.deepEqual(await said(), [['safe', living.length]]);
  } finally {
    await turning.stop();
  }
});

describe('verify --json', () => {
  test('answers everybody in the world, in the order given, as the world expects', async () => {
    const file = join(folder, 'everybody.txt');
    writeFileSync(file, cast.map(({ address }) => `  ${address}\r\n\n`).join(''));
    const env = { ...world.environment, MAILPROOF_PACING: 'off' };
    const { stdout, stderr } = await whileRunning(() =>
      runHere(['verify', '--file', file, '--json', '--concurrency', '4'], { env }),
    );
    const rows = rowsOf(stdout);
    assert.equal(stderr, '');
    assert.deepEqual(
      rows.map(({ email }) => email),
      cast.map(({ address }) => address),
    );
    assert.deepEqual(
      rows.map(({ email, status, error }) => `${email} ${status ?? error ?? ''}`),
      cast.map(({ address, expect }) => `${address} ${'status' in expect ? expect.status : expect.error}`),
    );
  });

  test('gives the fields of the interface and no explanation unless asked', async () => {
    const plain = await ask(['alive@plain.test', '--json']);
    assert.equal(plain.code, 0);
    const [row] = rowsOf(plain.stdout);
    assert.deepEqual(Object.keys(row ?? {}).sort(), [
      'can_connect_smtp',
      'domain',
      'email',
      'has_inbox_full',
      'is_catch_all',
      'is_deliverable',
      'is_disabled',
      'is_disposable',
      'is_free_email',
      'is_role_account',
      'is_safe_to_send',
      'is_spamtrap',
      'is_valid_syntax',
      'mx_accepts_mail',
      'mx_records',
      'overall_score',
      'status',
      'username',
      'verification_mode',
    ]);
    const [explained] = rowsOf((await ask(['alive@plain.test', '--json', '--explain'])).stdout);
    assert.equal(explained?.explanation?.stage, 'smtp');
    assert.equal(explained.explanation.reason, 'mailbox_accepted');
  });

  test('where the API would answer with an error, gives that error, and ends with 1', async () => {
    const { code, stdout } = await ask(
      ['--json', 'no address', 'x@servfail.test', 'alive@waits.test', 'alive@plain.test'],
      { MAILPROOF_SINGLE_TIMEOUT_MS: '2500' },
    );
    assert.equal(code, 1);
    assert.deepEqual(
      rowsOf(stdout).map(({ email, error, status }) => ({ email, error, status })),
      [
        { email: 'no address', error: 'invalid_email', status: undefined },
        { email: 'x@servfail.test', error: 'verification_unavailable', status: undefined },
        { email: 'alive@waits.test', error: 'verification_timeout', status: undefined },
        { email: 'alive@plain.test', error: undefined, status: 'safe' },
      ],
    );
  });

  test('an error is the address and the reason alone; --explain says more', async () => {
    assert.equal(
      (await ask(['--json', 'no address'])).stdout,
      '{"email":"no address","error":"invalid_email"}\n',
    );
    const [row] = rowsOf((await ask(['--json', '--explain', 'no address'])).stdout);
    assert.equal(row?.explanation?.stage, 'syntax');
  });

  test('takes addresses from the standard input after those named, and trims them', async () => {
    const { code, stdout } = await runHere(['verify', '--json', ' alive@plain.test ', '--file', '-'], {
      env: world.environment,
      input: '\n  unknown@plain.test\t\n\nfull@plain.test',
    });
    assert.equal(code, 0);
    assert.deepEqual(
      rowsOf(stdout).map(({ email, status }) => [email, status]),
      [
        ['alive@plain.test', 'safe'],
        ['unknown@plain.test', 'invalid'],
        ['full@plain.test', 'inbox_full'],
      ],
    );
  });
});

describe('verify --file', () => {
  /** How many conversations a list takes, and how many of them are open at once at most. */
  async function conversationsFor(addresses: string[], ...options: string[]) {
    const file = join(folder, 'list.txt');
    writeFileSync(file, addresses.join('\n'));
    const patienceEnds = performance.now() + 10_000;
    while (world.counts.smtp.open > 0 && performance.now() < patienceEnds) await setImmediate();
    world.reset();
    const { code, stdout } = await runHere(['verify', '--file', file, '--json', ...options], {
      env: { ...world.environment, MAILPROOF_PACING: 'off' },
    });
    assert.deepEqual([code, rowsOf(stdout).map(({ email }) => email)], [0, addresses]);
    const { connections, mostOpen } = world.counts.smtp;
    return { connections, mostOpen };
  }

  test('a list sorted by domain needs no more conversations than a shuffled one, with all domains at once', async () => {
    const sorted = listDomains.flatMap((domain) => Array.from({ length: 10 }, (_, i) => `p${i}@${domain}`));
    const shuffled = sorted.toSorted();
    const [one, other] = [await conversationsFor(sorted), await conversationsFor(shuffled)];
    assert.ok(one.connections <= other.connections * 1.2, JSON.stringify([one, other]));
    assert.ok(one.connections <= 4 * listDomains.length, JSON.stringify(one));
    assert.ok(one.mostOpen >= listDomains.length, JSON.stringify(one));
  });

  test('--concurrency is the number of conversations that are open at once', async () => {
    const addresses = listDomains.map((domain) => `p@${domain}`);
    const { mostOpen } = await conversationsFor(addresses, '--concurrency', '3');
    // The host may see the next one before the end of the one that made room for it.
    assert.ok(mostOpen <= 6, String(mostOpen));
  });
});

describe('verify in words', () => {
  test('one address gets its whole story, within 80 columns', async () => {
    const { code, stdout } = await ask(['unknown@plain.test']);
    assert.equal(code, 0);
    assert.match(stdout, /^unknown@plain\.test {2}invalid {2}score 0\n/);
    for (const part of ['why ', 'is not ', 'mail hosts mx.plain.test', 'asked ', 'rcpt ', 'took '])
      assert.ok(stdout.includes(part), part);
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.length > 80),
      [],
    );
  });

  test('several get a line each, errors too', async () => {
    const { code, stdout } = await ask(['alive@plain.test', 'nonsense', 'x@servfail.test']);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^safe +96 {2}alive@plain\.test {2}mailbox_accepted\ninvalid_email +nonsense {2}no_at_sign\nunavailable +x@servfail\.test {2}dns_servfail\n$/,
    );
  });

  test('several get a story each with --explain', async () => {
    const { stdout } = await ask(['--explain', 'alive@plain.test', 'anyone@catchall.test']);
    assert.equal(stdout.match(/^ {2}why /gm)?.length, 2);
  });

  test('what is no address is shown without its power over the terminal', async () => {
    const { stdout } = await ask(['\u001b[2J\u202eevil']);
    assert.ok(!stdout.includes('\u001b') && !stdout.includes('\u202e'));
    assert.ok(stdout.includes('\\u{1b}[2J\\u{202e}evil'));
  });
});

describe('verify as a process', () => {
  test('passes its exit code on, and says goodbye to every host', async () => {
    world.reset();
    const { code, stdout, stderr } = await runMailproof(['verify', '--json', 'alive@plain.test'], {
      env: world.environment,
    });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(rowsOf(stdout)[0]?.status, 'safe');
    assert.equal(world.counts.smtp.commands['QUIT'], 1);
    assert.deepEqual(world.violations, []);
  });

  test('answers while the list still grows', async () => {
    const { child, ended } = startMailproof(['verify', '--json', '--file', '-'], { env: world.environment });
    child.stdin.write('alive@plain.test\n');
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    assert.equal(rowsOf(first.toString())[0]?.status, 'safe');
    child.stdin.end('unknown@plain.test\n');
    assert.equal((await ended).code, 0);
  });

  test('Ctrl-C in the middle of a conversation ends it with 130, long before its deadline', async () => {
    const { child, ended } = startMailproof(['verify', '--json', 'alive@plain.test', 'alive@waits.test'], {
      env: world.environment,
    });
    await once(child.stdout, 'data');
    const interruptedAt = performance.now();
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.deepEqual([code, stderr], [130, '']);
    assert.ok(performance.now() - interruptedAt < 15_000);
  });

  test('a long list is read as it is needed, not held', async () => {
    const { child, ended } = startMailproof(['verify', '--json', '--file', '-'], { env: world.environment });
    child.stdin.write('alive@plain.test\nalive@waits.test\n');
    await once(child.stdout, 'data');
    // Everything the pipe, the reader and the window may hold, and much more; the child must stop taking it.
    const line = `${'x'.repeat(60)}@\n`;
    let taken = 0;
    while (taken < 64 && child.stdin.write(line.repeat(16_384))) taken += 1;
    const stalled = await Promise.race([
      once(child.stdin, 'drain').then(() => false),
      once(child, 'close').then(() => false),
      later(1_500),
    ]);
    assert.equal(stalled, true);
    child.kill('SIGINT');
    child.stdin.destroy();
    assert.equal((await ended).code, 130);
  });

  test('a list file that cannot be used ends with 3 and names the line', async () => {
    const file = join(folder, 'deny.txt');
    writeFileSync(file, 'example.com\nnot an entry\n');
    const { code, stderr } = await runHere(['verify', 'alive@plain.test'], {
      env: { ...world.environment, MAILPROOF_DENY_FILE: file },
    });
    assert.equal(code, 3);
    assert.match(stderr, /deny\.txt, line 2/);
  });
});

function ask(args: string[], env: Record<string, string> = {}) {
  return runHere(['verify', ...args], { env: { ...world.environment, ...env } });
}

function rowsOf(stdout: string): Row[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

function later(ms: number): Promise<true> {
  return new Promise((resolve) => setTimeout(() => resolve(true), ms));
}
