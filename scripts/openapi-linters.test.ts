import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createWholeServer } from '../service/src/start/whole-server.ts';
import { createTestParts } from '../service/test/support/http/test-parts.ts';

const run = promisify(execFile);

/** Each prints what it finds, as JSON. Why they are not installed with everything else: docs/decisions/0019-openapi.md. */
const packages = {
  '@redocly/openapi-core': '2.64.0',
  '@stoplight/spectral-core': '1.24.1',
  '@stoplight/spectral-rulesets': '1.23.1',
};

const linters = {
  Redocly: `import { createConfig, lintFromString } from '@redocly/openapi-core';
import { readFileSync } from 'node:fs';
const config = await createConfig({ extends: ['recommended-strict'] });
const found = await lintFromString({ source: readFileSync('openapi.json', 'utf8'), absoluteRef: 'openapi.json', config });
console.log(JSON.stringify(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])));
`,
  // All rules of its set, but for four. The scopes of keys stand at each operation, as OpenAPI 3.1 has it for schemes
  // other than OAuth; the rule is from before. The licence has its SPDX identifier, which excludes a URL. Whoever runs the
  // service is the contact, and no name here. The tags stand in the order in which one needs them.
  Spectral: `import core from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { readFileSync } from 'node:fs';
const spectral = new core.Spectral();
const off = ['oas3-operation-security-defined', 'license-url', 'info-contact', 'openapi-tags-alphabetical'];
spectral.setRuleset({
  extends: [[rulesets.oas, 'all']],
  rules: Object.fromEntries(off.map((name) => [name, 'off'])),
});
const found = await spectral.run(JSON.parse(readFileSync('openapi.json', 'utf8')));
console.log(JSON.stringify(found.map(({ code, message, path }) => [code, message, path.join('/')])));
`,
};

describe('the OpenAPI document', () => {
  // Kept between runs: what `npm install` has nothing to do for takes a second.
  const cwd = join(import.meta.dirname, '../.cache/openapi-linters');
  before(async () => {
    mkdirSync(cwd, { recursive: true });
    const server = await createWholeServer(createTestParts());
    writeFileSync(join(cwd, 'openapi.json'), (await server.inject('/openapi.json')).payload);
    await server.close();
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
    const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags], { cwd });
  });

  for (const [name, program] of Object.entries(linters))
    test(`${name} finds nothing, warnings included`, async () => {
      writeFileSync(join(cwd, `${name}.mjs`), program);
      const { stdout } = await run(process.execPath, [`${name}.mjs`], { cwd, maxBuffer: 16 * 1_048_576 });
      assert.deepEqual(JSON.parse(stdout), []);
    });
});
