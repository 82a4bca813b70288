import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { commands } from './commands.ts';
import { runHere } from '../test/support/run-here.ts';
import { runMailproof, startMailproof } from '../../service/test/support/mailproof.ts';

const concurrent = { concurrency: 2 };

describe('help', concurrent, () => {
  test('--help lists every command and every exit code, within 80 columns', async () => {
    const { code, stdout, stderr } = await runMailproof(['--help']);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    for (const { name, summary } of commands)
      assert.match(stdout, new RegExp(`^  ${name} +${summary.slice(0, 20)}`, 'm'));
    for (const exitCode of [0, 1, 2, 3, 70, 130]) assert.match(stdout, new RegExp(`^  ${exitCode} `, 'm'));
    assert.ok(stdout.split('\n').every((line) => line.length <= 80));
  });

  for (const { name } of commands) {
    test(`${name} --help has a usage line and examples, within 80 columns`, async () => {
      const { code, stdout } = await runHere([name, '--help']);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`mailproof ${name} `));
      assert.match(stdout, /^examples:\n {2}.*mailproof /m);
      assert.deepEqual(
        stdout.split('\n').filter((line) => line.length > 80),
        [],
      );
    });
  }

  test('help COMMAND is the same as COMMAND --help', async () => {
    const [one, other] = await Promise.all([runHere(['help', 'parse']), runHere(['parse', '--help'])]);
    assert.deepEqual(one, other);
  });

  test('no command at all shows the help on stderr and ends with 2', async () => {
    const { code, stdout, stderr } = await runMailproof([]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /usage: mailproof COMMAND/);
  });

  test('--version is the version of the root manifest, the one place where it stands', async () => {
    const manifest = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    assert.equal((await runHere(['--version'])).stdout, `${version}\n`);
  });
});

describe('a command line that is not understood ends with 2 and one line that helps', concurrent, () => {
  const mistakes: [string[], RegExp][] = [
    [['vrify', 'ada@example.com'], /Unknown command "vrify"\. Did you mean verify\?/],
    [['zzzzzzzzz'], /Unknown command "zzzzzzzzz"\. Commands: serve, verify/],
    [['verify', '--jsn', 'ada@example.com'], /Unknown option --jsn\. Did you mean --json\?/],
    [['verify', '--file'], /Missing value: --file PATH\|-/],
    [['verify', '--file', '--json'], /Missing value: --file/],
    [['verify', '-x@example.com'], /Unknown option -x\. To pass a word that starts with -, put -- before it/],
    [['verify', '--json=yes', 'ada@example.com'], /--json takes no value/],
    [['verify'], /Missing ADDRESS/],
    [
      ['verify', '--concurrency', '0', 'ada@example.com'],
      /--concurrency must be a whole number from 1 to 500/,
    ],
    [['verify', '--file', '/nowhere/at/all'], /Cannot read \/nowhere\/at\/all: no such file/],
    [['parse', '--file', '/'], /\/ is a directory/],
    [['config', 'port'], /Unexpected argument "port"/],
    [['doctor', '--help='], /Unknown option --help/],
  ];
  for (const [args, line] of mistakes) {
    test(args.join(' '), async () => {
      const { code, stdout, stderr } = await runHere(args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, line);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    });
  }
});

describe('config', concurrent, () => {
  test('--json gives an object a line with name, value, default and meaning', async () => {
    const { code, stdout } = await runHere(['config', '--json'], {
      env: { MAILPROOF_PORT: '9000', MAILPROOF_ADMIN_TOKEN: 'hunter2'.repeat(5) },
    });
    assert.equal(code, 0);
    const settings = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const port = settings.find(({ name }) => name === 'MAILPROOF_PORT');
    assert.equal(port?.['value'], '9000');
    assert.equal(port['default'], '8080');
    assert.ok(settings.every((setting) => Object.keys(setting).join() === 'name,value,default,meaning'));
    assert.ok(!stdout.includes('hunter2'));
  });

  test('in words it names every setting, within 80 columns unless a value is longer', async () => {
    const { stdout } = await runHere(['config']);
    assert.match(stdout, /^MAILPROOF_PORT=8080$/m);
    assert.match(stdout, /^MAILPROOF_EGRESS_ALLOW=none$/m);
  });

  test('a bad setting ends with 3 and one line that names it', async () => {
    const { code, stdout, stderr } = await runMailproof(['config'], { env: { MAILPROOF_PORT: 'eighty' } });
    assert.deepEqual([code, stdout], [3, '']);
    assert.equal(stderr, 'mailproof: MAILPROOF_PORT is "eighty"; it may be a whole number from 0 to 65535\n');
  });

  test('a variable that is no setting is told and does not stop anything', async () => {
    const { code, stderr } = await runHere(['config'], { env: { MAILPROOF_PROT: '1' } });
    assert.equal(code, 0);
    assert.equal(
      stderr,
      'mailproof: MAILPROOF_PROT is not a setting and does nothing; did you mean MAILPROOF_PORT?\n',
    );
  });
});

describe('the end', concurrent, () => {
  test('a reader that goes away ends the command quietly with 141', async () => {
    const { child, ended } = startMailproof(['parse']);
    const line = `${JSON.stringify({ email: 'ada@example.com' })}\n`;
    child.stdin.write(line);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    // Far more than a pipe holds, so that it is written to after its reader has gone.
    child.stdin.end(line.repeat(20_000));
    const { code, stderr } = await ended.catch(() => ({ code: child.exitCode, stderr: '' }));
    assert.equal(code ?? (await once(child, 'close'))[0], 141);
    assert.equal(stderr, '');
  });

  for (const [signal, expected] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    test(`${signal} while it waits for input ends it with ${expected}`, async () => {
      const { child, ended } = startMailproof(['parse']);
      child.stdin.write(`${JSON.stringify({ email: 'ada@example.com' })}\n`);
      await once(child.stdout, 'data');
      child.kill(signal);
      const { code, stderr } = await ended;
      assert.deepEqual([code, stderr], [expected, '']);
    });
  }
});
