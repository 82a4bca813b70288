import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { enabledFeatures } from './features.ts';
import { runHere } from '../test/support/run-here.ts';
import { featureNames as features } from '@mailproof/service/feature-names';
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

  test('--help begins with the commands of every day', async () => {
    const { stdout } = await runHere(['--help']);
    const listed = [...stdout.matchAll(/^ {2}(?<name>[a-z-]+) {2,}/gm)].map(({ groups }) => groups?.['name']);
    assert.deepEqual(listed.slice(0, 5), ['verify', 'check', 'serve', 'doctor', 'demo']);
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
    [['zzzzzzzzz'], /Unknown command "zzzzzzzzz"\. Commands: verify, check/],
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

/** Every command by the words that call it: `keys create`, `audit`. */
async function everyCommand(): Promise<[string, Command][]> {
  const found = await Promise.all(
    commands.map(async ({ name, load }): Promise<[string, Command][]> => {
      const loaded = await load();
      if (loaded.kind === 'command') return [[name, loaded]];
      return Object.entries(loaded.actions).map(([action, command]) => [`${name} ${action}`, command]);
    }),
  );
  return found.flat();
}

describe('names', concurrent, () => {
  test('a command calls itself by the words that call it', async () => {
    for (const [words, { name }] of await everyCommand()) assert.equal(name, words);
  });

  test('a command of a group and its short name take the same options', async () => {
    const all = new Map(await everyCommand());
    const pairs = [...'audit migrate upgrade backup restore copy'.split(' ')].map((name) => [
      name,
      `store ${name}`,
    ]);
    for (const [short = '', full = ''] of [...pairs, ['prober', 'probers run']]) {
      assert.ok(all.has(short) && all.has(full), full);
      assert.deepEqual(all.get(full)?.options, all.get(short)?.options);
      const { stdout } = await runHere([...full.split(' '), '--help']);
      assert.match(stdout, new RegExp(`usage: mailproof ${full} `));
      assert.doesNotMatch(stdout, new RegExp(`mailproof ${short} `));
    }
  });
});

describe('--json', concurrent, () => {
  test('is an option of every command, or is refused with the reason', async () => {
    for (const [words, { options, noJson }] of await everyCommand())
      assert.equal('json' in options, noJson === undefined, words);
    const { code, stdout, stderr } = await runHere(['mcp', '--json']);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /There is no --json here: the protocol is JSON already/);
  });

  test('gives the version as an object, and is refused for the help', async () => {
    const { stdout } = await runHere(['--version', '--json']);
    assert.deepEqual(Object.keys(JSON.parse(stdout) as object), ['version']);
    for (const args of [['--help'], ['keys', '--help'], ['verify', '--help']]) {
      const help = await runHere([...args, '--json']);
      assert.deepEqual([help.code, help.stdout], [2, '']);
      assert.match(help.stderr, /The help has no JSON form/);
    }
  });
});

describe('a feature that MAILPROOF_FEATURES leaves out', concurrent, () => {
  for (const feature of features) {
    const env = { MAILPROOF_FEATURES: features.filter((name) => name !== feature).join(',') };

    test(`${feature}: its commands are not in --help, and are refused`, async () => {
      const { stdout } = await runHere(['--help'], { env });
      for (const { name, feature: belongsTo } of commands) {
        assert.equal(new RegExp(`^  ${name} `, 'm').test(stdout), belongsTo !== feature, name);
        if (belongsTo !== feature) continue;
        const { code, stderr } = await runHere([name], { env });
        assert.equal(code, 2);
        assert.match(stderr, new RegExp(`"mailproof ${name}" belongs to the feature ${feature}, which`));
      }
    });
  }

  test('a group loses the commands that belong to it, and keeps the others', async () => {
    const env = { MAILPROOF_FEATURES: 'none' };
    const { stdout } = await runHere(['store', '--help'], { env });
    assert.match(stdout, /mailproof store migrate/);
    assert.doesNotMatch(stdout, /backup|restore/);
    const { code, stderr } = await runHere(['store', 'backup', 'x'], { env });
    assert.equal(code, 2);
    assert.match(stderr, /"mailproof store backup" belongs to the feature backups/);
  });

  test('all are on by default, none can be said, and an unknown name stops every command', async () => {
    const enabled = (text?: string) => {
      const read = enabledFeatures(text === undefined ? {} : { MAILPROOF_FEATURES: text });
      return read.kind === 'ok' ? [...read.enabled] : read.problem;
    };
    for (const text of [undefined, '']) assert.deepEqual(enabled(text), [...features]);
    assert.deepEqual(enabled('none'), []);
    assert.deepEqual(enabled('webhooks, lists'), ['webhooks', 'lists']);
    const { code, stdout, stderr } = await runHere(['config'], {
      env: { MAILPROOF_FEATURES: 'lists,formz' },
    });
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /^mailproof: MAILPROOF_FEATURES names "formz".* Did you mean forms\?\n$/);
  });
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
