import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { buildPackage } from '../build-package.ts';
import { startStandIn, type StandIn } from '../test/support/start-stand-in.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'mailproof-package-'));
const project = join(folder, 'project');
const installed = join(project, 'node_modules/@mailproof/client');
let packed: { filename: string; files: { path: string }[] };
let standIn: StandIn;

/** Laid out, packed by npm, and unpacked where npm would install it; no registry is asked. */
before(async () => {
  standIn = await startStandIn();
  buildPackage(join(folder, 'built'));
  const cache = join(folder, 'cache');
  const { stdout } = await run('npm', ['pack', '--json', '--offline', '--cache', cache], {
    cwd: join(folder, 'built'),
  });
  packed = (JSON.parse(stdout) as [typeof packed])[0];
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, 'built', packed.filename), '--strip-components=1', '-C', installed]);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
});
after(async () => {
  await standIn.stop();
  rmSync(folder, { recursive: true });
});

describe('the package', () => {
  test('holds JavaScript with declarations, its manifest, README and licence, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    const others = paths.filter((path) => !/^dist\/(?:lists\/)?[a-z0-9-]+\.(?:js|d\.ts)$/.test(path));
    assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'package.json']);
    assert.ok(paths.includes('dist/index.js') && paths.includes('dist/index.d.ts'));
    assert.ok(paths.every((path) => !/test|stand-in/.test(path)));
  });

  test('has a manifest that can be published and depends on nothing', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
    const names = Object.keys(manifest);
    for (const absent of ['private', 'scripts', 'dependencies', 'peerDependencies'])
      assert.ok(!names.includes(absent), absent);
  });

  test('has types that a strict project reads, without those of Node', async () => {
    writeFileSync(
      join(project, 'use.ts'),
      `import { createClient, MailproofError, type VerificationStatus } from '@mailproof/client';
       const client = createClient({ baseUrl: 'https://mail.example', apiKey: 'x', fetch });
       export const status: VerificationStatus = (await client.verify('ada@example.com')).status;
       for await (const answer of client.verifyMany(['ada@example.com']))
         if (answer.kind === 'rejected') answer.reason satisfies 'blank' | 'too_long' | 'not_an_address';
       export const isOurs = (error: unknown): boolean =>
         error instanceof MailproofError && error.reason === 'insufficient_credits';
       // @ts-expect-error there is no such status
       export const wrong: VerificationStatus = 'fine';`,
    );
    const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    const flags = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
    ];
    await run(process.execPath, [compiler, ...flags, 'use.ts'], { cwd: project }).catch((error: unknown) =>
      assert.fail((error as { stdout: string }).stdout),
    );
  });
});

describe('the README', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map((match) => match[1] ?? '');
  const expected = [
    /^safe 98 1\n$/,
    /^2 1\nName,Email,email_status.*\nAda,ada@example.com,safe,.*\n\n$/,
    /^3 {4}was rejected: blank\n0 ada@example.com safe\n1 invalid@example.com invalid\n2 no address was rejected: not_an_address\n$/,
    /^invalid_email 400 request-\d+\n$/,
    /^safe\n$/,
  ];

  test('shows as many examples as are expected here', () => assert.equal(examples.length, expected.length));

  for (const [i, example] of examples.entries()) {
    test(`example ${i + 1} runs with the packed package and says what it shall`, async () => {
      const file = join(project, `example-${i + 1}.js`);
      writeFileSync(file, example);
      const env = { MAILPROOF_URL: standIn.url, MAILPROOF_API_KEY: standIn.apiKey };
      const { stdout, stderr } = await run(process.execPath, [file], { env });
      assert.equal(stderr, '');
      assert.match(stdout, expected[i] ?? /^$/);
    });
  }
});
