import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { scorePage } from './score-page.ts';

test('docs/score.md says what the table of scores says (npm run docs writes it)', () => {
  assert.equal(readFileSync(new URL('../docs/score.md', import.meta.url), 'utf8'), scorePage());
});

test('it calls the score an estimate, and gives each status the range that was decided', () => {
  const page = scorePage();
  assert.match(page, /is an estimate/);
  const range = (status: string) =>
    new RegExp(`^\\| \`${status}\` +\\| \\d+ +\\| (\\d+) +\\| (\\d+) +\\|$`, 'm')
      .exec(page)
      ?.slice(1)
      .map(Number);
  for (const [status, least, most] of [
    ['safe', 90, 99],
    ['role_account', 70, 90],
    ['catch_all', 40, 70],
    ['inbox_full', 20, 20],
    ['invalid', 0, 0],
  ] as const) {
    const [from = -1, to = 101] = range(status) ?? [];
    assert.ok(from >= least && to <= most, `${status}: ${from} to ${to}`);
  }
});
