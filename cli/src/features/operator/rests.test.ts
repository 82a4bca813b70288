import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databases, type TestStore } from '../../../../service/test/support/databases.ts';
import { runHere } from '../../../test/support/run-here.ts';

const restsFor = {
  restMs: 600_000,
  reason: 'host_defers',
  slowMs: 0,
  perMinute: 0,
  failures: 2,
  silences: 0,
};

async function keepRest({ execute }: TestStore, key: string): Promise<void> {
  const now = Date.now();
  const value = JSON.stringify(restsFor);
  await execute(
    `insert into engine_memory (kind, key, value, expires_at, writer, written_at)
     values ('rest', '${key}', '${value}', ${now + 600_000 + 3_600_000}, 'another process', ${now})`,
  );
}

/** A route that two providers block, and its volume of the day. */
async function keepRoute({ execute }: TestStore): Promise<void> {
  const now = Date.now();
  const until = now + 1_800_000;
  const state = { day: 20_000, openedToday: 0, connectedToday: 0, firstUsedDay: 19_000, restingUntil: until };
  const groups = { restingGroups: [{ group: 'google', until }], refusals: [{ by: 'group google', until }] };
  await execute(
    `insert into engine_memory (kind, key, value, expires_at, writer, written_at)
     values ('route', 'lisbon', '${JSON.stringify({ ...state, ...groups })}', ${now + 86_400_000}, 'one', ${now})`,
  );
}

for (const database of databases) {
  describe(`mailproof rests on ${database.name}`, () => {
    test('lists rests, ends one by its name and all the others, and writes down who did', async () => {
      const opened = await database.open();
      const { dataDir, databaseUrl } = opened.settings;
      const env = {
        MAILPROOF_DATA_DIR: dataDir,
        ...(databaseUrl === undefined ? {} : { MAILPROOF_DATABASE_URL: databaseUrl }),
      };
      const rows = async (...args: string[]) => {
        const { code, stdout, stderr } = await runHere(['rests', ...args, '--json'], { env });
        assert.equal(code, 0, stderr);
        return stdout
          .split('\n')
          .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { name: string }]));
      };
      try {
        for (const key of ['group yahoo', 'group mx.example', 'address 192.0.2.7'])
          await keepRest(opened, key);
        const listed = await rows();
        assert.deepEqual(listed.map(({ name }) => name).sort(), ['192.0.2.7', 'mx.example', 'yahoo']);
        assert.deepEqual(Object.keys(listed[0] ?? {}), ['kind', 'name', 'reason', 'until']);
        assert.deepEqual(await rows('end', 'yahoo'), [{ kind: 'provider', name: 'yahoo' }]);
        assert.deepEqual((await rows('list')).map(({ name }) => name).sort(), ['192.0.2.7', 'mx.example']);
        assert.equal((await rows('end', '--all')).length, 2);
        assert.deepEqual(await rows('list'), []);
        assert.match(String(await opened.contents()), /rest_ended/);
        await keepRoute(opened);
        const routes = (await rows('list')) as { kind: string; name: string; reason: string }[];
        assert.deepEqual(
          routes.map(({ kind, name, reason }) => [kind, name, reason]),
          [
            ['route', 'lisbon', 'route_blocked'],
            ['route', 'lisbon', 'route_blocked_by_google'],
          ],
        );
        assert.deepEqual(await rows('end', 'lisbon'), [{ kind: 'route', name: 'lisbon' }]);
        assert.deepEqual(await rows('list'), []);
        const contents = String(await opened.contents());
        assert.match(contents, /restsEndedAt/, 'the engines are told');
        assert.match(contents, /19000/, 'its warm-up is kept');
        for (const [args, line] of [
          [['end', 'yahoo'], /"yahoo" is not left alone/],
          [['end'], /Give one NAME, or --all/],
          [['end', 'yahoo', '--all'], /Give one NAME, or --all/],
        ] as const) {
          const { code, stderr } = await runHere(['rests', ...args], { env });
          assert.equal(code, 2);
          assert.match(stderr, line);
        }
      } finally {
        await opened.close();
      }
    });
  });
}
