import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startStandIn, type StandIn } from '@mailproof/client/stand-in';
import { installPackage, loadedAs } from '../../../client/test/support/install-package.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'mailproof-package-'));
const project = join(folder, 'project');
const installed = join(project, 'node_modules/@mailproof/client');
let paths: string[];
let standIn: StandIn;

before(async () => {
  standIn = await startStandIn();
  ({ paths } = await installPackage(folder));
});
after(async () => {
  await standIn.stop();
  rmSync(folder, { recursive: true });
});

describe('the package', () => {
  test('holds JavaScript with declarations twice, its manifest, README and licence, and nothing else', () => {
    const others = paths.filter((path) => !/^dist\/(?:esm|commonjs)\/[a-z0-9-]+\.(?:js|d\.ts)$/.test(path));
    assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'dist/commonjs/package.json', 'package.json']);
    const below = (kind: string) =>
      paths.filter((path) => path.startsWith(`dist/${kind}/`) && !path.endsWith('package.json'));
    assert.deepEqual(
      below('commonjs').map((path) => path.replace('commonjs', 'esm')),
      below('esm'),
    );
    assert.ok(paths.every((path) => !/test|stand-in/.test(path)));
  });

  test('has a manifest that can be published and depends on nothing', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
    const names = Object.keys(manifest);
    for (const absent of ['private', 'scripts', 'dependencies', 'peerDependencies', 'devDependencies'])
      assert.ok(!names.includes(absent), absent);
    assert.deepEqual(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['@mailproof'],
    );
  });

  test('imports nothing but its own files, so that it loads where there is no Node', () => {
    for (const kind of ['esm', 'commonjs']) {
      for (const file of readdirSync(join(installed, 'dist', kind), { encoding: 'utf8' })) {
        const text = readFileSync(join(installed, 'dist', kind, file), 'utf8');
        const imported = [...text.matchAll(/(?:from |require\(|import\()['"](?<path>[^'"]+)['"]/g)];
        for (const { groups } of imported) assert.match(groups?.['path'] ?? '', /^\.\/[a-z0-9-]+\.js$/, file);
      }
    }
  });

  test('has types that strict projects of both kinds read, without those of Node', async () => {
    const use = `
       const client = createClient({ baseUrl: 'https://mail.example', apiKey: 'x', fetch });
       export async function use(): Promise<VerificationStatus> {
         for await (const answer of client.verifyMany(['ada@example.com']))
           if (answer.kind === 'rejected') answer.reason satisfies 'blank' | 'too_long' | 'not_an_address';
         return (await client.verify('ada@example.com')).status;
       }
       export const isOurs = (error: unknown): boolean =>
         error instanceof MailproofError && error.reason === 'insufficient_credits';
       // @ts-expect-error there is no such status
       export const wrong: VerificationStatus = 'fine';`;
    const names = 'createClient, MailproofError, type VerificationStatus';
    writeFileSync(join(project, 'use.mts'), `import { ${names} } from '@mailproof/client';${use}`);
    writeFileSync(
      join(project, 'use.cts'),
      `import client_ = require('@mailproof/client');
       import createClient = client_.createClient;
       import MailproofError = client_.MailproofError;
       type VerificationStatus = client_.VerificationStatus;${use}`,
    );
    const compiler = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
    const flags = '--strict --noEmit --module nodenext --target es2022 --lib es2022,dom'.split(' ');
    await run(process.execPath, [compiler, ...flags, 'use.mts', 'use.cts'], { cwd: project }).catch(
      (error: unknown) => assert.fail((error as { stdout: string }).stdout),
    );
  });

  for (const [program, version] of findNodes()) {
    for (const [kind, { file, text }] of Object.entries(loadedAs)) {
      test(`runs as ${kind} on Node ${version}`, async () => {
        writeFileSync(join(project, file), text);
        const env = { URL: standIn.url, KEY: standIn.apiKey };
        const { stdout } = await run(program, [file], { cwd: project, env });
        assert.equal(stdout, 'safe function\n');
      });
    }
  }
});

/** The Node that runs this, and the machine's own if it is another. */
function findNodes(): Map<string, string> {
  const found = new Map([[process.execPath, process.versions.node]]);
  const ofTheMachine = '/usr/bin/node';
  if (existsSync(ofTheMachine)) {
    const version = execFileSync(ofTheMachine, ['--version'], { encoding: 'utf8' }).trim().slice(1);
    if (Number.parseInt(version) >= 20) found.set(ofTheMachine, version);
  }
  return found;
}

describe('the README', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../client/README.md'), 'utf8');
  const examples = [...readme.matchAll(/```js [a-z-]+\.js\n(.*?)```/gs)].map((match) => match[1] ?? '');
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
