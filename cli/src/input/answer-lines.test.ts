import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runMailproof } from '../../../service/test/support/mailproof.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-parse-'));
after(() => rmSync(folder, { recursive: true }));

describe('parse', { concurrency: 2 }, () => {
  test('answers a line for a line, in order', async () => {
    const rows = [
      { email: 'ada@example.com' },
      { email: 'ada@example..com' },
      { email: 'jörg@bücher.example', id: 7 },
      { email: '' },
    ];
    const { code, stdout, stderr } = await runMailproof(['parse'], { input: lines(rows) });
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(answers(stdout), [
      { email: 'ada@example.com', valid: true, username: 'ada', domain: 'example.com' },
      { email: 'ada@example..com', valid: false, reason: 'domain_invalid' },
      { email: 'jörg@bücher.example', valid: true, username: 'jörg', domain: 'bücher.example' },
      { email: '', valid: false, reason: 'empty' },
    ]);
  });

  test('takes an email in a line as it is, and trims only an argument', async () => {
    const piped = await runMailproof(['parse'], { input: lines([{ email: ' ada@example.com' }]) });
    assert.equal(answers(piped.stdout)[0]?.['valid'], false);
    const named = await runMailproof(['parse', ' ada@example.com ']);
    assert.deepEqual(answers(named.stdout), [
      { email: 'ada@example.com', valid: true, username: 'ada', domain: 'example.com' },
    ]);
  });

  test('tells a line that cannot be read with its number, answers the others and ends with 1', async () => {
    const input = `{"email":"a@example.com"}\n{"email":\n\n[1]\n{"mail":"x"}\n{"email":5}\n${'x'.repeat(70_000)}\n{"email":"b@example.com"}`;
    const { code, stdout, stderr } = await runMailproof(['parse'], { input });
    assert.equal(code, 1);
    assert.deepEqual(
      answers(stdout).map(({ email }) => email),
      ['a@example.com', 'b@example.com'],
    );
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'mailproof: line 2: not valid JSON',
      'mailproof: line 4: not a JSON object',
      'mailproof: line 5: "email" is missing or not a string',
      'mailproof: line 6: "email" is missing or not a string',
      'mailproof: line 7: the line is too long',
    ]);
  });

  test('reads a file by a path relative to the directory it is called in, CRLF and byte order mark included', async () => {
    writeFileSync(
      join(folder, 'rows.jsonl'),
      '\ufeff{"email":"a@example.com"}\r\n{"email":"b@example.com"}\r\n',
    );
    const { code, stdout } = await runMailproof(['parse', '--file', 'rows.jsonl'], { cwd: folder });
    assert.equal(code, 0);
    assert.deepEqual(
      answers(stdout).map(({ email }) => email),
      ['a@example.com', 'b@example.com'],
    );
  });

  test('an empty input has an empty answer', async () => {
    assert.deepEqual(await runMailproof(['parse']), { code: 0, stdout: '', stderr: '' });
  });
});

describe('classify', { concurrency: 2 }, () => {
  test('answers label and reason, a line for a line; null and extra fields are allowed', async () => {
    const rows = [
      { code: 550, enhanced: '5.1.1', text: 'User unknown' },
      { code: 250, enhanced: null, text: 'OK', provider: null, id: 'x', label: 'other' },
      { code: 452, enhanced: '4.2.2', text: 'over quota', provider: 'google' },
    ];
    const { code, stdout, stderr } = await runMailproof(['classify'], { input: lines(rows) });
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(
      answers(stdout).map(({ label }) => label),
      ['mailbox_not_exist', 'accepted', 'mailbox_full'],
    );
    for (const answer of answers(stdout)) {
      assert.deepEqual(Object.keys(answer), ['label', 'reason']);
      assert.match(String(answer['reason']), /^[a-z0-9_]+$/);
    }
  });

  test('tells which field of which line is wrong, answers the others and ends with 1', async () => {
    const rows = [
      { code: '550', text: 'x' },
      { code: 550 },
      { code: 550, text: 'x', enhanced: 5 },
      { code: 550, text: 'x', provider: {} },
      { code: 42, text: 'x' },
      { code: 250, text: 'OK' },
    ];
    const { code, stdout, stderr } = await runMailproof(['classify'], { input: lines(rows) });
    assert.equal(code, 1);
    assert.equal(answers(stdout).length, 1);
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'mailproof: line 1: "code" is missing or not a three-digit number',
      'mailproof: line 2: "text" is missing or not a string',
      'mailproof: line 3: "enhanced" is neither a string nor null',
      'mailproof: line 4: "provider" is neither a string nor null',
      'mailproof: line 5: "code" is missing or not a three-digit number',
    ]);
  });
});

function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function answers(stdout: string): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
