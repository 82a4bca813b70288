import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ensureDebianPackages } from '../../debian-packages.ts';
import { expectedLines, generatedClients } from '../support/generated-clients.ts';
import { openExamples, type ExampleFixture } from '../support/open-examples.ts';

const run = promisify(execFile);

/** The Go that the machine came with, or Debian's. */
const goFolder = existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin' : '/usr/bin';
const triesOnABusyMachine = 5;

describe('clients that generators make of the OpenAPI document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-generated-'));
  let fixture: ExampleFixture;
  let document = '';
  before(async () => {
    const python = { name: 'python3-venv', proof: '/usr/share/doc/python3-venv' };
    const hasPython = await run('python3', ['-c', 'import ensurepip, venv']).then(
      () => true,
      () => false,
    );
    await ensureDebianPackages([
      { name: 'golang-go', proof: join(goFolder, 'go') },
      ...(hasPython ? [] : [python]),
    ]);
    fixture = await openExamples();
    document = await (await fetch(`${fixture.url}/openapi.json`)).text();
  });
  after(async () => {
    await fixture.close();
    rmSync(folder, { recursive: true });
  });

  for (const [language, { files, install, generate, check, run: program }] of Object.entries(
    generatedClients,
  ))
    test(`${language}: generated, checked by a compiler, and used`, async () => {
      const cwd = join(folder, language);
      for (const [name, text] of Object.entries({ ...files, 'openapi.json': document })) {
        mkdirSync(dirname(join(cwd, name)), { recursive: true });
        writeFileSync(join(cwd, name), text);
      }
      const settings = { MAILPROOF_URL: fixture.url, MAILPROOF_API_KEY: fixture.apiKey };
      const env = { ...process.env, PATH: `${goFolder}:${process.env['PATH'] ?? ''}`, ...settings };
      const command = ([name = '', ...args]: readonly string[]) =>
        run(name, args, { cwd, env, maxBuffer: 16 * 1_048_576 });
      for (const step of [...install, ...generate, ...check]) await command(step);
      assert.deepEqual((await insist(() => command(program))).stdout.trimEnd().split('\n'), expectedLines);
    });

  test('the Python package has a model for what there is to know, and not for each place where it is said', () => {
    const models = readdirSync(join(folder, 'Python/mailproof_client/models'));
    assert.ok(models.includes('verification_result.py'));
    assert.ok(models.length < 220, `${models.length} models`);
  });
});

/** A service that is busy, which is the machine's fault, turns the program away: then it is run again. */
async function insist<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!/service_unavailable|503/.test(String(error)) || tries === triesOnABusyMachine) throw error;
    }
  }
}
