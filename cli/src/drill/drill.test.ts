import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHere } from '../../test/support/run-here.ts';
import { faults } from './faults.ts';

/** `cli/test/faults/drill.test.ts` runs the drill itself, which takes minutes. */
test('--list names every fault, and --only chooses among them', async () => {
  const all = await runHere(['drill', '--list']);
  assert.equal(all.code, 0);
  for (const { name, title } of faults) assert.match(all.stdout, new RegExp(`^${name} +${title}$`, 'm'));
  const one = await runHere(['drill', '--list', '--only', 'disk-full', '--json']);
  assert.deepEqual(JSON.parse(one.stdout), {
    fault: 'disk-full',
    title: 'the disk of the database is full',
    seconds: 15,
    seconds_quick: 6,
  });
});

test('an unknown fault is refused with the names of those there are, and nothing is started', async () => {
  const { code, stdout, stderr } = await runHere(['drill', '--only', 'disk-full,flood']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^mailproof: Unknown fault "flood"\. Faults: api-killed, worker-killed, /);
});
