import assert from 'node:assert/strict';
import { test } from 'node:test';
import { taskId } from '../../../../test/support/http/test-parts.ts';
import { presentProgress, withResults } from './task.ts';

const common = { kind: 'task' as const, taskId, name: 'API: x', creditsUsed: 0 };

test('progress has at most two decimals, is 100 when completed, and has no results before', () => {
  const running = { ...common, status: 'running' as const, total: 3, resultsJson: undefined };
  assert.equal(presentProgress({ ...running, checked: 0 }).progress_percentage, 0);
  assert.equal(presentProgress({ ...running, checked: 1 }).progress_percentage, 33.33);
  assert.equal(presentProgress({ ...running, checked: 2 }).progress_percentage, 66.67);
  for (let total = 1; total <= 100; total += 1) {
    for (let checked = 0; checked < total; checked += 1) {
      const { progress_percentage: shown } = presentProgress({ ...running, total, checked });
      assert.ok(shown < 100 && /^\d+(?:\.\d{1,2})?$/.test(String(shown)), String(shown));
    }
  }
  const empty = { ...common, status: 'completed' as const, total: 0, checked: 0, resultsJson: '{}' };
  const progress = presentProgress(empty);
  assert.deepEqual(JSON.parse(withResults(progress, '{}')), { ...progress, results: {} });
  assert.equal(progress.progress_percentage, 100);
  assert.equal(withResults(progress, undefined), JSON.stringify(progress));
});
