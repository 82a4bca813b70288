import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEngine, type Engine } from '@mailproof/engine';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient } from '../../test/support/api-client.ts';
import { openFixture } from '../../test/support/open-fixture.ts';
import { until } from '../../test/support/until.ts';
import type { ProcessRole } from '../core/store/process-registry.ts';

const description: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: { 'mx.brisk.test': { mailboxes: { ann: 'exists', bob: 'exists' } } },
};

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  describe(`the roles of processes on ${database}`, () => {
    it('an API takes tasks and a worker runs them, whichever comes first', async () => {
      const fixture = await openFixture({
        world: description,
        database,
      });
      const { liveKey: key } = await fixture.openAccount({ credits: 100 });
      const api = await fixture.startHere({ role: 'api' });
      const client = createApiClient(api.url);
      try {
        const first = await client.createdTask(key, ['ann@brisk.test', 'eve@brisk.test']);
        assert.equal((await client.readTask(key, first)).body['status'], 'waiting');
        const worker = await fixture.startHere({ role: 'worker' });
        assert.equal(worker.url, '');
        try {
          const results = await client.results(key, first);
          assert.deepEqual(
            Object.values(results).map(({ status }) => status),
            ['safe', 'invalid'],
          );
          const second = await client.createdTask(key, ['bob@brisk.test']);
          assert.equal((await client.results(key, second))['bob@brisk.test']?.status, 'safe');
        } finally {
          await worker.stop();
        }
        const third = await client.createdTask(key, ['bob@brisk.test']);
        assert.equal((await client.readTask(key, third)).body['status'], 'waiting');
      } finally {
        await api.stop();
        await fixture.close();
      }
    });

    for (const pacing of ['on', 'off']) {
      it(`an API and a worker beside a prober ask no mail host themselves, pacing ${pacing}`, async () => {
        const fixture = await openFixture({
          world: description,
          database,
          settings: { MAILPROOF_PACING: pacing },
        });
        const { liveKey: key } = await fixture.openAccount({ credits: 100 });
        const engines = new Map<string, Engine>();
        const startAs = (role: ProcessRole) =>
          fixture.startHere({
            role,
            createEngine(settings) {
              const engine = createEngine(settings);
              engines.set(role, engine);
              return engine;
            },
          });
        const dialled = () => [...engines].map(([role, engine]) => [role, engine.counts().dialled > 0]);
        const prober = await startAs('prober');
        const [api, worker] = [await startAs('api'), await startAs('worker')];
        const client = createApiClient(api.url);
        try {
          assert.equal((await client.verify(key, 'ann@brisk.test')).body['status'], 'safe');
          const task = await client.createdTask(key, ['bob@brisk.test', 'eve@brisk.test']);
          assert.deepEqual(
            Object.values(await client.results(key, task)).map(({ status }) => status),
            ['safe', 'invalid'],
          );
          assert.deepEqual(dialled(), [
            ['prober', true],
            ['api', false],
            ['worker', false],
          ]);
          assert.equal((await client.ask({ method: 'GET', path: '/readyz' })).status, 200);
        } finally {
          await Promise.all([api.stop(), worker.stop(), prober.stop()]);
          await fixture.close();
        }
      });
    }

    it('where probers ask, nobody stands in for them: singles are 502, tasks wait, /readyz and one line of the log say why', async () => {
      const fixture = await openFixture({
        world: description,
        database,
        settings: { MAILPROOF_PACING: 'on' },
      });
      const { liveKey: key } = await fixture.openAccount({ credits: 100 });
      const engines: Engine[] = [];
      const lines: string[] = [];
      const startAs = (role: ProcessRole) =>
        fixture.startHere({
          role,
          logDestination: { write: (text: string) => void lines.push(...text.split('\n')) },
          createEngine(settings) {
            const engine = createEngine(settings);
            if (role !== 'prober') engines.push(engine);
            return engine;
          },
        });
      let prober = await startAs('prober');
      const api = await startAs('api');
      const worker = await startAs('worker');
      const client = createApiClient(api.url);
      const readyz = () => client.ask({ method: 'GET', path: '/readyz' }, { insist: false });
      const linesAbout = (start: string) => lines.filter((line) => line.includes(`"msg":"${start}`)).length;
      try {
        assert.equal((await client.verify(key, 'ann@brisk.test')).body['status'], 'safe');
        // As in a deploy: all that may ask stop together.
        await prober.stop();
        const { status, text } = await until(readyz, (answer) => answer.status === 503);
        assert.match(text, /no prober: no process that may ask mail hosts runs/, String(status));
        const single = await client.verify(key, 'bob@brisk.test');
        assert.deepEqual(
          [single.status, single.body['reason'], single.creditsUsed],
          [502, 'verification_unavailable', '0'],
        );
        const task = await client.createdTask(key, ['bob@brisk.test']);
        // A second start of the others changes nothing: it is the installation that has probers.
        const second = await startAs('api');
        try {
          const other = createApiClient(second.url);
          assert.equal((await other.verify(key, 'bob@brisk.test')).status, 502);
        } finally {
          await second.stop();
        }
        assert.notEqual((await client.readTask(key, task)).body['status'], 'completed');
        assert.deepEqual(
          engines.map((engine) => engine.counts().dialled),
          [0, 0, 0],
        );
        assert.equal(linesAbout('no prober: '), 3, 'one line of each process');
        prober = await startAs('prober');
        assert.equal((await client.results(key, task))['bob@brisk.test']?.status, 'safe');
        await until(readyz, (answer) => answer.status === 200);
      } finally {
        await Promise.all([api.stop(), worker.stop(), prober.stop()]);
        await fixture.close();
      }
    });
  });
}
