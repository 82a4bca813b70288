import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createApiClient, type ApiClient } from '../../support/api-client.ts';
import { runCommand, runMailproof, type Serving } from '../../support/mailproof.ts';
import { openFixture, type Fixture } from '../../support/open-fixture.ts';
import { createPostgresDatabase } from '../../support/postgres/test-postgres.ts';
import { until } from '../../support/until.ts';
import { releaseWorld } from './fill-release.ts';
import { buildProgram, keptReleases, loadRelease } from './kept-release.ts';
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
    /** Stops the process that has run longest. */
    stopOldest: async () => {
      const oldest = running.shift();
      assert.equal(await oldest?.serving.stop(), 0);
      oldest?.client.close();
    },
    logged: (wanted: (line: string) => boolean) =>
      all.flatMap(({ stdout }) => stdout().split('\n').filter(wanted)),
  };
}

/** Waits until a good deal more has been answered, and all of it correctly. */
async function letWork({ singles, tasks, violations }: MixedLoad): Promise<void> {
  const [before, tasksBefore] = [singles.length, tasks.length];
  const isEnough = () => singles.length >= before + 60 && tasks.length >= tasksBefore + 4;
  await until(() => isEnough() || violations.length > 0);
  assert.deepEqual(violations, []);
}

/**
 * A store that did not answer in time, as on a busy machine, is no defect; any other fault of it is. The kept
 * releases do not say which it was.
 */
const wasLate =
  /"name":"StoreUnavailableError",(?:"fault":"(?:busy|overloaded|slow|unconfirmed|unreachable)",)?"at":|"fault":"(?:overload|store_(?:busy|overloaded|slow|unconfirmed|unreachable))"/;

const isDefect = (line: string): boolean => /"msg":"defect"|"level":50/.test(line) && !wasLate.test(line);

/** A refused single is charged only if its commit was not confirmed in time, as its log line says. */
const unconfirmed = /"fault":"(?:store_)?(?:unconfirmed|unreachable)"/;

async function assertCharges({
  fixture,
  processes,
  load,
  accountId,
  spentBefore,
}: Installation): Promise<void> {
  const rows = await fixture.query(`select id, charged, state from hold where account_id = $1`, [accountId]);
  const holds = new Map(rows.map(({ id, charged }) => [String(id), Number(charged)]));
  assert.deepEqual(
    rows.filter(({ state }) => state !== 'settled'),
    [],
    'nothing is left open',
  );
  const wrong = load.singles.filter(({ requestId, told }) => (holds.get(requestId) ?? 0) !== told);
  assert.deepEqual(wrong, [], 'every single was charged what its caller was told');
  const inDoubt = load.refused.filter((requestId) => (holds.get(requestId) ?? 0) > 0);
  const unexplained = inDoubt.filter(
    (requestId) =>
      processes.logged((line) => line.includes(`"request_id":"${requestId}"`) && unconfirmed.test(line))
        .length === 0,
  );
  assert.deepEqual(unexplained, [], 'a single that was refused is not charged');
  const told = load.singles.reduce((sum, single) => sum + single.told, 0);
  const ofTasks = load.tasks.reduce((sum, task) => sum + task.conclusive, 0);
  const { spent } = await fixture.balance(accountId);
  const charged = spent - spentBefore - told - ofTasks - inDoubt.length;
  assert.ok(charged >= 0 && charged <= load.lost(), `${charged} charged beyond what was told`);
}

/** Opens the release's database with enough credits, two of its processes, and load. */
async function openOldInstallation(t: TestContext, release: string) {
  const old = buildProgram(release);
  const settings = { MAILPROOF_DEFER_RETRY_MS: '50' };
  const fixture = await openFixture({ world, database: 'PostgreSQL', settings });
  t.after(() => fixture.close());
  const { accountId, liveKey: key } = await loadRelease(release, fixture.env);
  await runCommand(['credits', 'grant', accountId, '1000000'], fixture.env, { program: old });
  const processes = createProcesses(fixture);
  await processes.start(old);
  await processes.start(old);
  await until(async () => (await fixture.balance(accountId)).reserved === 0);
  const { spent: spentBefore } = await fixture.balance(accountId);
  const load = startMixedLoad({ key, clients: processes.clients });
  t.after(() => load.stop());
  await letWork(load);
  const plan = await fixture.command('upgrade', '--check');
  const isSame = plan['outcome'] === 'up_to_date';
  assert.ok(isSame || plan['outcome'] === 'migrates');
  return { fixture, old, processes, load, accountId, spentBefore, goesOn: isSame || plan['goesOn'] === true };
}

type Installation = Awaited<ReturnType<typeof openOldInstallation>>;

/** Starts a process of the new version and stops an old one, until all are replaced; then goes back in the same way. */
async function replaceOneByOne({ old, processes: { start, stopOldest }, load }: Installation): Promise<void> {
  for (const program of [undefined, old]) {
    for (let replaced = 0; replaced < 2; replaced += 1) {
      await start(program);
      await letWork(load);
      await stopOldest();
      await letWork(load);
    }
  }
}

/** Stops all old processes before the first new one starts. Clients get no answer meanwhile, and retry. */
async function stopAndReplace({ old, fixture, processes, load }: Installation): Promise<void> {
  const { start, stopOldest } = processes;
  await stopOldest();
  await stopOldest();
  await start(undefined);
  await start(undefined);
  await letWork(load);
  const { code, stderr } = await runMailproof(['audit'], { program: old, env: fixture.env });
  assert.equal(code, 3, 'a program of the version before touches nothing');
  assert.match(stderr, /newer/);
}

/** Asserts the way back if the new schema does not serve the old program: the backup taken before. */
async function assertRestores(t: TestContext, { old, fixture }: Installation, file: string): Promise<void> {
  const { url, giveBack } = await createPostgresDatabase('empty');
  t.after(giveBack);
  const env = { ...fixture.env, MAILPROOF_DATABASE_URL: url };
  assert.deepEqual((await runCommand(['restore', file], env, { program: old }))['violations'], []);
}

async function endAndCheck(t: TestContext, installation: Installation): Promise<void> {
  const { fixture, processes, load, accountId } = installation;
  await load.stop();
  // On a busy machine a request may be refused during its reservation: the next sweep releases it.
  await until(async () => (await fixture.balance(accountId)).reserved === 0);
  await processes.stopOldest();
  await processes.stopOldest();
  const { singles, refused, tasks } = load;
  t.diagnostic(
    `${singles.length} singles, ${refused.length} refused, ${tasks.length} tasks, ${load.lost()} lost`,
  );
  assert.deepEqual(load.violations, []);
  assert.deepEqual(processes.logged(isDefect), []);
  await assertCharges(installation);
  assert.deepEqual((await fixture.command('audit'))['violations'], []);
}

for (const release of keptReleases) {
  describe(`an upgrade from ${release}`, () => {
    it('as the check plans it, under load: nothing is lost, and nothing is charged twice', async (t) => {
      const installation = await openOldInstallation(t, release);
      const { goesOn, old, fixture } = installation;
      t.diagnostic(goesOn ? 'one by one, and back' : 'all stopped, and back from a backup');
      if (goesOn) await replaceOneByOne(installation);
      else {
        const file = join(fixture.dataDir, 'before-the-upgrade');
        await runCommand(['backup', file], fixture.env, { program: old });
        await stopAndReplace(installation);
        await assertRestores(t, installation, file);
      }
      await endAndCheck(t, installation);
    });
  });
}
