import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApiClient, type ApiClient } from '../../support/api-client.ts';
import { runCommand, type Serving } from '../../support/mailproof.ts';
import { openFixture, type Fixture } from '../../support/open-fixture.ts';
import { until } from '../../support/until.ts';
import { releaseWorld } from './fill-release.ts';
import { keptReleases, loadRelease, unpackProgram } from './kept-release.ts';
import { loadWorld, startMixedLoad, type MixedLoad } from './mixed-load.ts';

const kept = releaseWorld('answers');
const world = {
  zones: { ...kept.zones, ...loadWorld.zones },
  hosts: { ...kept.hosts, ...loadWorld.hosts },
};

type Running = { serving: Serving; client: ApiClient };

/** The processes of an installation, started and stopped one at a time as in a rolling restart. */
function createProcesses(fixture: Fixture) {
  const running: Running[] = [];
  const all: Serving[] = [];
  return {
    clients: () => running.map(({ client }) => client),
    start: async (program: string | undefined) => {
      const serving = await fixture.serve({ program });
      all.push(serving);
      running.push({ serving, client: createApiClient(serving.url) });
    },
    /** The one that has run for longest. */
    stopOldest: async () => {
      const oldest = running.shift();
      assert.equal(await oldest?.serving.stop(), 0);
      oldest?.client.close();
    },
    defects: () =>
      all.flatMap(({ stdout }) =>
        stdout()
          .split('\n')
          .filter((line) => /"msg":"defect"|"level":50/.test(line)),
      ),
  };
}

/** Waits until a good deal more has been answered, and all of it as it must be. */
async function letWork({ singles, tasks, violations }: MixedLoad): Promise<void> {
  const [before, tasksBefore] = [singles.length, tasks.length];
  const isEnough = () => singles.length >= before + 60 && tasks.length >= tasksBefore + 4;
  await until(() => isEnough() || violations.length > 0);
  assert.deepEqual(violations, []);
}

type Charged = { accountId: string; spentBefore: number; load: MixedLoad };

async function assertCharges(fixture: Fixture, { accountId, spentBefore, load }: Charged): Promise<void> {
  const rows = await fixture.query(`select id, charged, state from hold where account_id = $1`, [accountId]);
  const holds = new Map(rows.map(({ id, charged }) => [String(id), Number(charged)]));
  assert.deepEqual(
    rows.filter(({ state }) => state !== 'settled'),
    [],
    'nothing is left open',
  );
  const wrong = load.singles.filter(({ requestId, told }) => (holds.get(requestId) ?? 0) !== told);
  assert.deepEqual(wrong, [], 'every single was charged what its caller was told');
  const told = load.singles.reduce((sum, single) => sum + single.told, 0);
  const ofTasks = load.tasks.reduce((sum, task) => sum + task.conclusive, 0);
  const { spent } = await fixture.balance(accountId);
  const charged = spent - spentBefore - told - ofTasks;
  assert.ok(charged >= 0 && charged <= load.lost(), `${charged} charged beyond what was told`);
}

for (const release of keptReleases) {
  describe(`from ${release} and back`, () => {
    it('old and new processes work side by side under load: nothing is lost, and nothing is charged twice', async (t) => {
      const { program: old, remove } = unpackProgram(release);
      t.after(remove);
      const settings = { MAILPROOF_DEFER_RETRY_MS: '50' };
      const fixture = await openFixture({ world, database: 'PostgreSQL', settings });
      t.after(() => fixture.close());
      const { accountId, liveKey: key } = await loadRelease(release, fixture.env);
      await runCommand(['credits', 'grant', accountId, '1000000'], fixture.env, { program: old });
      const { start, stopOldest, clients, defects } = createProcesses(fixture);

      await start(old);
      await start(old);
      await until(async () => (await fixture.balance(accountId)).reserved === 0);
      const { spent: spentBefore } = await fixture.balance(accountId);
      const load = startMixedLoad({ key, clients });
      t.after(() => load.stop());
      await letWork(load);
      const plan = await fixture.command('upgrade', '--check');
      assert.deepEqual([plan['outcome'], plan['goesOn']], ['migrates', true]);

      // There: one more process of this version, one less of the version before. And back in the same way.
      for (const program of [undefined, old]) {
        for (let replaced = 0; replaced < 2; replaced += 1) {
          await start(program);
          await letWork(load);
          await stopOldest();
          await letWork(load);
        }
      }
      await load.stop();
      // On a busy machine a request may be refused while its reservation is on the way: the next sweep releases it.
      await until(async () => (await fixture.balance(accountId)).reserved === 0);
      await stopOldest();
      await stopOldest();

      t.diagnostic(`${load.singles.length} singles, ${load.tasks.length} tasks, ${load.lost()} lost`);
      assert.deepEqual(load.violations, []);
      assert.deepEqual(defects(), []);
      await assertCharges(fixture, { accountId, spentBefore, load });
      assert.deepEqual((await fixture.command('audit'))['violations'], []);
      assert.deepEqual((await runCommand(['audit'], fixture.env, { program: old }))['violations'], []);
    });
  });
}
