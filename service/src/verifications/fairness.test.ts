import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Service } from '../main.ts';
import {
  postTask,
  readProgress,
  readResults,
  serviceBesideWorld,
  until,
  verifySingle,
} from '../testing/service-beside-world.ts';

/**
 * One account's thousand addresses at a tarpit beside another's few elsewhere. Whoever had to wait for the tarpit
 * would wait for a quarter of a minute at the least, so the bound below tells the two apart on any machine; what
 * the ratio is on this one is printed.
 */
const host = (name: string) => ({ [name]: { mx: [[10, `mx.${name}`] as [number, string]] } });
const place = () =>
  serviceBesideWorld({
    zones: { ...host('tarpit.test'), ...host('brisk.test') },
    hosts: {
      'mx.tarpit.test': { temper: { catchAll: true, replyDelayMs: 15_000 } },
      'mx.brisk.test': { temper: { catchAll: true } },
    },
  });

const rounds = 60;
/** Far below one reply of the tarpit, far above what a loaded machine takes for a verification. */
const slackMs = 2_000;

async function timeSingles(service: Service, key: string, name: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const startedAt = performance.now();
    assert.equal(await verifySingle(service, key, `${name}${n}@brisk.test`), 'catch_all');
    times.push(performance.now() - startedAt);
  }
  return times;
}

function p95(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Infinity;
}

function tellTimes(t: TestContext, idle: number[], beside: number[]): void {
  const ratio = (p95(beside) / p95(idle)).toFixed(2);
  t.diagnostic(
    `p95 idle ${p95(idle).toFixed(1)} ms, beside the tarpit ${p95(beside).toFixed(1)} ms: ${ratio}`,
  );
  assert.ok(p95(beside) <= 1.25 * p95(idle) + slackMs);
  assert.ok(Math.max(...beside) < 15_000);
}

describe("one account's thousand addresses at a tarpit", () => {
  test("do not delay another's singles and lists elsewhere", { timeout: 120_000 }, async (t) => {
    const house = await place();
    const [slow, quick] = [await house.openAccount(1_000), await house.openAccount(1_000)];
    const service = await house.start();
    try {
      const idle = await timeSingles(service, quick, 'idle');
      const tasks: string[] = [];
      for (let n = 0; n < 10; n += 1) {
        const emails = Array.from({ length: 100 }, (_, i) => `person${n * 100 + i}@tarpit.test`);
        tasks.push(await postTask(service, slow, emails));
      }
      const tarpit = house.world.hosts['mx.tarpit.test'];
      await until(() => (tarpit?.counts.connections ?? 0) > 0);
      tellTimes(t, idle, await timeSingles(service, quick, 'beside'));
      const list = Array.from({ length: 100 }, (_, n) => `member${n}@brisk.test`);
      const results = await readResults(service, quick, await postTask(service, quick, list));
      assert.deepEqual(new Set(Object.values(results).map(({ status }) => status)), new Set(['catch_all']));
      const left = await Promise.all(tasks.map((id) => readProgress(service, slow, id)));
      assert.ok(
        left.every(({ status }) => status !== 'completed'),
        'the tarpit still holds every list',
      );
    } finally {
      await service.stop();
      await house.close();
    }
  });
});
