import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, type ApiClient, bulkPath, singlePath } from '../../support/api-client.ts';
import { askInACrowd } from '../../support/ask-in-a-crowd.ts';
import { until } from '../../support/until.ts';
import { overspend } from '../endurance/overspend.ts';
import { openInstallation, type Installation } from './open-installation.ts';

const statusOf = (answer: Answer) => (answer.kind === 'lost' ? 0 : answer.status);

describe('three APIs on one PostgreSQL', () => {
  let installation: Installation;
  before(async () => {
    installation = await openInstallation({ apis: 3, workers: 0 });
    await installation.query('alter system set track_commit_timestamp = on');
    await installation.postgres.halt('fast');
    await installation.postgres.resume();
    await installation.command('accounts', 'create', '--name', 'first');
    await Promise.all(installation.apis.map((one) => one.start()));
  });
  after(() => installation.close());

  const clients = () =>
    installation.apis.map((one): ApiClient => {
      const client = one.client();
      assert.ok(client);
      return client;
    });

  it('a thousand requests at once on a hundred credits: exactly a hundred, books balanced', async (t) => {
    const account = await installation.openAccount({ name: 'eager', credits: 100 });
    const again = await overspend({ fixture: installation, clients: clients(), ...account });
    t.diagnostic(`turned away and asked again: ${again}`);
    assert.deepEqual((await installation.command('audit'))['violations'], []);
  });

  it('a thousand requests at once on a key good for a hundred credits a day: exactly a hundred', async (t) => {
    const { accountId } = await installation.openAccount({ name: 'capped', credits: 1_000 });
    const made = await installation.command('keys', 'create', accountId, '--credits-per-day', '100');
    const key = String(made['api_key']);
    const heard: Record<string, number> = {};
    const ask = async (n: number) => {
      const client = clients()[n % 3];
      assert.ok(client);
      const call = { path: singlePath, key, body: { email: `c${n}@nullmx.test` } };
      const { status, body } = (await askInACrowd(client, call)).answer;
      const kind = status === 200 ? 'verified' : `${status} ${String(body['reason'])}`;
      heard[kind] = (heard[kind] ?? 0) + 1;
    };
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => ask(n)));
    let asked = 1_000;
    // The credit of a refused request is released after others were refused for lack of it.
    await until(async () => {
      const [row] = await installation.query('select capped_credits from api_key where id = $1', [
        made['key_id'],
      ]);
      const { reserved, spent } = await installation.balance(accountId);
      assert.ok(spent <= 100, `${spent} charged`);
      if (Number(row?.['capped_credits']) < 100) await ask(asked++);
      return reserved === 0 && spent === 100;
    });
    t.diagnostic(JSON.stringify(heard));
    assert.deepEqual(Object.keys(heard).sort(), ['429 key_limit_reached', 'verified']);
    assert.deepEqual((await installation.command('audit'))['violations'], []);
  });

  it('a key deleted under two hundred requests a second is accepted nowhere a second after the commit', async (t) => {
    const { accountId, liveKey } = await installation.openAccount({ name: 'leaver', credits: 1_000_000 });
    const [keyId] = (
      await installation.query(`select id from api_key where account_id = $1 and mode = 'live'`, [accountId])
    ).map(({ id }) => String(id));
    const crowd = startCrowd(clients(), liveKey);
    await crowd.until(() => crowd.heard.filter(({ status }) => status === 200).length >= 200);
    const [first] = clients();
    assert.ok(first && keyId);
    // A key may delete itself.
    const deleted = await first.ask({
      method: 'DELETE',
      path: `/api/v1/account/keys/${keyId}`,
      key: liveKey,
    });
    assert.equal(deleted.status, 204);
    const [row] = await installation.query(
      'select extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as at from api_key where id = $1',
      [keyId],
    );
    const committedAt = Number(row?.['at']);
    await crowd.until(() => crowd.heard.filter(({ sentAt }) => sentAt > committedAt + 1_000).length >= 400);
    await crowd.end();
    const accepted = crowd.heard.filter(({ status }) => status === 200);
    const late = crowd.heard.filter(({ sentAt }) => sentAt > committedAt + 1_000);
    const lastMs = Math.max(...accepted.map(({ sentAt }) => sentAt)) - committedAt;
    t.diagnostic(
      `${crowd.rate()} requests a second, ${accepted.length} accepted, the last sent ${Math.round(lastMs)} ms after the commit`,
    );
    assert.deepEqual(
      [...new Set(accepted.map(({ api }) => api))].sort(),
      [0, 1, 2],
      'all three had accepted it',
    );
    assert.deepEqual(
      late.filter(({ status }) => status !== 401 && status !== 503),
      [],
    );
    for (const api of [0, 1, 2])
      assert.ok(
        late.some((one) => one.api === api && one.status === 401),
        `API ${api} knows it is deleted`,
      );
  });

  it('what one API acknowledged, the others know at once', async () => {
    const { liveKey } = await installation.openAccount({ name: 'traveller', credits: 100 });
    const [first, ...others] = clients();
    assert.ok(first);
    const headers = { 'idempotency-key': 'once' };
    const body = { emails: ['one@nullmx.test'] };
    const made = await first.ask({ path: bulkPath, key: liveKey, body, headers });
    assert.equal(made.status, 201);
    const taskId = String(made.body['task_id']);
    for (const other of others) {
      const again = await other.ask({ path: bulkPath, key: liveKey, body, headers });
      assert.deepEqual([again.status, again.text], [201, made.text]);
      const read = await other.ask({ method: 'GET', path: `${bulkPath}/${taskId}`, key: liveKey });
      assert.equal(read.status, 200);
    }
  });
});

type HeardFrom = { api: number; sentAt: number; status: number };

const perSecond = 200;

/** Sends 200 requests per second, to each API in turn, whatever their outcome. */
function startCrowd(apis: ApiClient[], key: string) {
  const heard: HeardFrom[] = [];
  const startedAt = performance.now();
  const underWay: Promise<void>[] = [];
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond;
    while (underWay.length < due) underWay.push(send(underWay.length));
  }, 5);

  async function send(n: number): Promise<void> {
    const api = n % apis.length;
    const sentAt = Date.now();
    const answer = await apis[api]?.send({ path: singlePath, key, body: { email: `q${n}@nullmx.test` } });
    heard.push({ api, sentAt, status: answer === undefined ? 0 : statusOf(answer) });
  }

  return {
    heard,
    rate: () => Math.round((underWay.length / (performance.now() - startedAt)) * 1_000),
    until: (condition: () => boolean) => until(condition),
    end: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}
