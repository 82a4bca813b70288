import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzConversations } from './conversation.fuzz.ts';

test('1,000 fuzzed conversations: no crash, no hang past the deadline, no broken rule (npm run fuzz: 10,000)', async () => {
  const { statuses } = await fuzzConversations({ runs: 1_000, seed: 20_261_115 });
  const conclusive = Object.keys(statuses).filter((status) => status !== 'unknown' && status !== 'timeout');
  assert.ok((statuses['unknown'] ?? 0) > 900, JSON.stringify(statuses));
  for (const status of conclusive)
    assert.ok(['safe', 'invalid', 'catch_all', 'inbox_full'].includes(status), status);
});
