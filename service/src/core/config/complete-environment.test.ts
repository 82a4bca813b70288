import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { describeConfig, readConfig, type Config } from '../../start/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-settings-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileWith(text: string): string {
  files += 1;
  const path = join(folder, String(files));
  writeFileSync(path, text);
  return path;
}

const token = 'a-token-of-more-than-32-characters';
const otherToken = 'another-token-of-more-than-32-characters';

function read(env: Record<string, string>): Config {
  const found = readConfig(env);
  assert.equal(found.kind, 'ok', found.kind === 'bad' ? found.problem : '');
  assert.deepEqual(found.warnings, []);
  return found.config;
}

function problemOf(env: Record<string, string>): string {
  const found = readConfig(env);
  assert.equal(found.kind, 'bad');
  return found.problem;
}

describe('settings in a file', () => {
  it('stand one a line, and the environment wins', () => {
    const text = '# ours\n\nMAILPROOF_PORT=9000\n MAILPROOF_HOST = "::1"\r\nMAILPROOF_LOG_LEVEL=\'warn\'\n';
    const file = fileWith(text);
    const config = read({ MAILPROOF_CONFIG: file, MAILPROOF_PORT: '9001', MAILPROOF_LOG_LEVEL: ' ' });
    assert.deepEqual([config.port, config.host, config.logLevel], [9_001, '::1', 'warn']);
  });

  it('a setting that others depend on is found there too', () => {
    const file = fileWith('MAILPROOF_HELO_NAME=probe.example.com\n');
    assert.equal(read({ MAILPROOF_CONFIG: file }).mailFrom, 'verify@probe.example.com');
  });

  it('are described with the file they come from', () => {
    const file = fileWith('MAILPROOF_PORT=9000\n');
    const byName = new Map(describeConfig({ MAILPROOF_CONFIG: file }).map((row) => [row.name, row.value]));
    assert.equal(byName.get('MAILPROOF_CONFIG'), file);
    assert.equal(byName.get('MAILPROOF_PORT'), '9000');
  });

  it('a file that is not there, a line that is none, and a name that stands there twice stop the start', () => {
    assert.match(problemOf({ MAILPROOF_CONFIG: join(folder, 'none') }), /^MAILPROOF_CONFIG is .*; it may be/);
    for (const [text, line] of [
      ['MAILPROOF_PORT=1\nMAILPROOF_PORT 2\n', /, line 2, is no MAILPROOF_NAME=value$/],
      ['PORT=1\n', /, line 1, is no/],
      ['MAILPROOF_PORT=1\nMAILPROOF_PORT=2\n', /, line 2, sets MAILPROOF_PORT once more$/],
      ['MAILPROOF_CONFIG=other\n', /, line 1, sets MAILPROOF_CONFIG/],
    ] as const)
      assert.match(problemOf({ MAILPROOF_CONFIG: fileWith(text) }), line);
    assert.match(problemOf({ MAILPROOF_CONFIG: fileWith('MAILPROOF_PORT=x') }), /^MAILPROOF_PORT is "x"/);
  });

  it('a name there that is no setting is told like one of the environment', () => {
    const found = readConfig({ MAILPROOF_CONFIG: fileWith('MAILPROOF_PROT=1\n') });
    assert.equal(found.kind, 'ok');
    assert.deepEqual(found.warnings, [
      'MAILPROOF_PROT is not a setting and does nothing; did you mean MAILPROOF_PORT?',
    ]);
  });
});

describe('secrets as files', () => {
  it('each is what its file holds, without the line end', () => {
    const url = 'postgres://u:secret@db.example/x';
    const config = read({
      MAILPROOF_ADMIN_TOKEN_FILE: fileWith(`${token}\n`),
      MAILPROOF_METRICS_TOKEN_FILE: fileWith(otherToken),
      MAILPROOF_DATABASE_URL_FILE: fileWith(`${url}\r\n`),
    });
    assert.deepEqual([config.adminToken, config.metricsToken, config.databaseUrl], [token, otherToken, url]);
  });

  it('the environment overrules the file of settings, whichever way each gives the secret', () => {
    const inFile = fileWith(`MAILPROOF_ADMIN_TOKEN=${token}\n`);
    const asFile = fileWith(`MAILPROOF_ADMIN_TOKEN_FILE=${fileWith(token)}\n`);
    assert.equal(read({ MAILPROOF_CONFIG: asFile }).adminToken, token);
    const other = fileWith(otherToken);
    assert.equal(
      read({ MAILPROOF_CONFIG: inFile, MAILPROOF_ADMIN_TOKEN_FILE: other }).adminToken,
      otherToken,
    );
    assert.equal(
      read({ MAILPROOF_CONFIG: asFile, MAILPROOF_ADMIN_TOKEN: otherToken }).adminToken,
      otherToken,
    );
  });

  it('one that is given twice, is not there, is empty or is none stops the start, and is not shown', () => {
    const file = fileWith(token);
    const both = problemOf({ MAILPROOF_ADMIN_TOKEN: token, MAILPROOF_ADMIN_TOKEN_FILE: file });
    assert.match(both, /^MAILPROOF_ADMIN_TOKEN and MAILPROOF_ADMIN_TOKEN_FILE are both set/);
    for (const path of [join(folder, 'none'), fileWith('\n'), folder])
      assert.match(problemOf({ MAILPROOF_ADMIN_TOKEN_FILE: path }), /^MAILPROOF_ADMIN_TOKEN_FILE is/);
    const short = problemOf({ MAILPROOF_ADMIN_TOKEN_FILE: fileWith('hunter2') });
    assert.match(short, /^MAILPROOF_ADMIN_TOKEN cannot be read/);
    assert.doesNotMatch(both + short, /hunter2|a-token/);
    const shown = JSON.stringify(describeConfig({ MAILPROOF_ADMIN_TOKEN_FILE: file }));
    assert.doesNotMatch(shown, /a-token/);
  });
});
