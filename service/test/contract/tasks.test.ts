/** Bulk verification: counts, names, states, results, and the cost of a task at each moment. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bulkPath, type Answered } from '../support/api-client.ts';
import { disposableDomain, listedPlaces, writeTraps } from './listed-domains.ts';
import { startServiceInWorld, type Account, type RunningService } from './running-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-traps-'));
let service: RunningService;
let account: Account;
before(async () => {
  service = await startServiceInWorld({
    settings: { MAILPROOF_SPAMTRAPS_FILE: writeTraps(join(folder, 'traps')) },
    places: listedPlaces,
  });
  account = service.first;
});
after(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

type Counts = { submitted: number; duplicates: number; rejected: number; processing: number };

async function create(
  emails: unknown[],
  more: object = {},
  { key } = account,
): Promise<{ id: string; counts: Counts; answer: Answered }> {
  const answer = await service.client.createTask(key, { emails, ...more });
  assert.equal(answer.status, 201, answer.text);
  const { body } = answer;
  const counts = {
    submitted: Number(body['count_submitted']),
    duplicates: Number(body['count_duplicates_removed']),
    rejected: Number(body['count_rejected_emails']),
    processing: Number(body['count_processing']),
  };
  return { id: String(body['task_id']), counts, answer };
}

const completed = ({ body }: Answered): boolean => body['status'] === 'completed';
const finish = (id: string): Promise<Answered> => service.client.readTaskUntil(account.key, id, completed);
const resultsOf = ({ body }: Answered) => body['results'] as Record<string, Record<string, unknown>>;

function statusesOf(answer: Answered): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(resultsOf(answer)).map(([email, record]) => [email, record['status']]),
  );
}

describe('counts', () => {
  test('addresses are trimmed, sorted out and deduplicated, and the first spelling is the key', async () => {
    const { id, counts } = await create([
      ' Alive@Plain.test ',
      'alive@plain.test',
      'ALIVE@PLAIN.TEST',
      'alive@bücher.test',
      'alive@xn--bcher-kva.test',
      'ALIVE@BÜCHER.test',
      'no address',
      'no address',
      'support@plain.test',
    ]);
    assert.deepEqual(counts, { submitted: 9, duplicates: 4, rejected: 2, processing: 3 });
    const answer = await finish(id);
    assert.deepEqual(Object.keys(resultsOf(answer)), [
      'Alive@Plain.test',
      'alive@bücher.test',
      'support@plain.test',
    ]);
    assert.equal(answer.body['count_total'], 3);
  });

  test('with an A-label first, that is the spelling kept', async () => {
    const { id, counts } = await create(['alive@XN--BCHER-KVA.test', 'alive@bücher.test']);
    assert.deepEqual(counts, { submitted: 2, duplicates: 1, rejected: 0, processing: 1 });
    assert.deepEqual(Object.keys(resultsOf(await finish(id))), ['alive@XN--BCHER-KVA.test']);
  });

  test('tags, dots and quotes make another address', async () => {
    const emails = ['alive@plain.test', 'alive+x@plain.test', 'al.ive@plain.test', 'alive@sub.plain.test'];
    assert.deepEqual((await create(emails)).counts, {
      submitted: 4,
      duplicates: 0,
      rejected: 0,
      processing: 4,
    });
  });

  test('100 copies of one address are one, and 100 addresses are 100', async () => {
    const copies = await create(Array.from({ length: 100 }, () => 'alive@plain.test'));
    assert.deepEqual(copies.counts, { submitted: 100, duplicates: 99, rejected: 0, processing: 1 });
    const many = await create(Array.from({ length: 100 }, (_, n) => `x${n}@nxdomain.test`));
    assert.deepEqual(many.counts, { submitted: 100, duplicates: 0, rejected: 0, processing: 100 });
    const answer = await finish(many.id);
    assert.deepEqual([answer.body['count_total'], answer.headers['x-credits-used']], [100, '100']);
  });

  test('with nothing to process the task is completed at once, with no results and no cost', async () => {
    const { id, counts, answer } = await create(['nobody', '@', '']);
    assert.deepEqual(counts, { submitted: 3, duplicates: 0, rejected: 3, processing: 0 });
    assert.equal(answer.headers['x-credits-used'], '0');
    const read = await service.client.readTask(account.key, id);
    assert.deepEqual(
      { ...read.body, name: undefined },
      {
        task_id: id,
        name: undefined,
        status: 'completed',
        count_total: 0,
        count_checked: 0,
        progress_percentage: 100,
        results: {},
      },
    );
  });
});

describe('the name', () => {
  test('is the submitted one after the prefix, unchanged', async () => {
    for (const name of ['Spring letter', ' spaces ', '<b>"\'', 'ünï 🎈']) {
      const { id } = await create(['nobody'], { name });
      assert.equal((await service.client.readTask(account.key, id)).body['name'], `API: ${name}`);
    }
  });

  test('is the time of creation where none was submitted', async () => {
    const minute = () => `API: ${new Date().toISOString().slice(0, 16).replace('T', ' ')}`;
    const earliest = minute();
    const { id } = await create(['nobody']);
    const latest = minute();
    const { name } = (await service.client.readTask(account.key, id)).body;
    assert.ok(name === earliest || name === latest, String(name));
  });
});

describe('a task from beginning to end', () => {
  test('a greylisted address is unknown in single, waited for in bulk, and the task runs meanwhile', async () => {
    const single = await service.client.verify(account.key, 'alive@greylist.test');
    assert.equal(single.body['status'], 'unknown');

    const before = await service.balance(account);
    const { id, answer } = await create(['alive@plain.test', 'alive@greylist.test', 'x@servfail.test']);
    assert.equal(answer.headers['x-credits-used'], '3');
    const half = await service.client.readTaskUntil(
      account.key,
      id,
      ({ body }) => body['count_checked'] === 2,
    );
    const { task_id, status, count_total, progress_percentage } = half.body;
    assert.deepEqual([task_id, status, count_total, progress_percentage], [id, 'running', 3, 66.67]);
    assert.equal(half.headers['x-credits-used'], '3', 'what the task holds');
    const held = { ...before, available: before.available - 3, reserved: before.reserved + 3 };
    assert.deepEqual(await service.balance(account), held);

    service.world.advance(5 * 60_000);
    const end = await finish(id);
    assert.deepEqual(statusesOf(end), {
      'alive@plain.test': 'safe',
      'alive@greylist.test': 'safe',
      'x@servfail.test': 'unknown',
    });
    assert.equal(end.headers['x-credits-used'], '2', 'what it was charged');
    const settled = { ...before, available: before.available - 2, spent: before.spent + 2 };
    assert.deepEqual(await service.balance(account), settled);
  });

  test('every status of the verdict table has its record, and the conclusive ones are charged', async () => {
    const expected = {
      'alive@plain.test': 'safe',
      'unknown@plain.test': 'invalid',
      'x@nxdomain.test': 'invalid',
      'disabled@plain.test': 'disabled',
      [`x@${disposableDomain}`]: 'disposable',
      'full@plain.test': 'inbox_full',
      'anyone@catchall.test': 'catch_all',
      'support@plain.test': 'role_account',
      'trap@plain.test': 'spamtrap',
      'alive@dead.test': 'unknown',
      'alive@blocked-rcpt.test': 'unknown',
    };
    const { id } = await create(Object.keys(expected));
    const answer = await finish(id);
    assert.deepEqual(statusesOf(answer), expected);
    assert.equal(answer.headers['x-credits-used'], '9');
    const {
      'alive@plain.test': safe,
      'alive@dead.test': unknown,
      'anyone@catchall.test': all,
    } = resultsOf(answer);
    assert.deepEqual(safe, {
      email: 'alive@plain.test',
      status: 'safe',
      overall_score: 96,
      is_safe_to_send: true,
      is_deliverable: true,
      is_valid_syntax: true,
      mx_accepts_mail: true,
      verification_mode: 'power',
    });
    assert.deepEqual(unknown, {
      email: 'alive@dead.test',
      status: 'unknown',
      is_valid_syntax: true,
      mx_accepts_mail: true,
      verification_mode: 'power',
    });
    assert.equal(all?.['is_catch_all'], true);
  });

  test('explain=true adds the evidence to each record, and only then', async () => {
    const { id } = await create(['alive@plain.test', 'x@nullmx.test', 'x@servfail.test']);
    const plain = await finish(id);
    const explained = await service.client.readTask(account.key, id, '?explain=true');
    const reasons = Object.values(resultsOf(explained)).map(
      ({ explanation }) => (explanation as Record<string, unknown>)['reason'],
    );
    assert.deepEqual(reasons, ['mailbox_accepted', 'null_mx', 'dns_servfail']);
    for (const query of ['', '?explain=false', '?explain=1'])
      assert.deepEqual((await service.client.readTask(account.key, id, query)).body, plain.body, query);
  });

  test('reading is free, belongs to the account, and takes the id in any case', async () => {
    const { id } = await create(['alive@plain.test']);
    await finish(id);
    const before = await service.balance(account);
    const second = String((await service.command('keys', 'create', account.accountId))['api_key']);
    const answer = await service.client.ask({
      method: 'GET',
      path: `${bulkPath}/${id.toUpperCase()}`,
      key: second,
    });
    assert.deepEqual([answer.status, answer.body['task_id']], [200, id]);
    assert.deepEqual(await service.balance(account), before);
  });
});

describe('credits of a task', () => {
  test('as many as were submitted have to be available; duplicates and rejected go back at once', async () => {
    const three = await service.openAccount({ credits: 3 });
    const four = ['alive@greylist.test', 'alive@greylist.test', 'nobody', 'ALIVE@greylist.test'];
    const refused = await service.client.createTask(three.key, { emails: four });
    assert.deepEqual([refused.status, refused.body['reason']], [429, 'insufficient_credits']);
    const untouched = { granted: 3, available: 3, reserved: 0, spent: 0 };
    assert.deepEqual(await service.balance(three), untouched);

    const { answer } = await create(['nobody', 'x@nxdomain.test', 'X@nxdomain.test'], {}, three);
    assert.equal(answer.headers['x-credits-used'], '1');
    const id = answer.body['task_id'];
    await service.client.readTaskUntil(three.key, id, completed);
    assert.deepEqual(await service.balance(three), { granted: 3, available: 2, reserved: 0, spent: 1 });

    const last = await create(['a@nxdomain.test', 'b@nxdomain.test'], {}, three);
    await service.client.readTaskUntil(three.key, last.id, completed);
    for (const emails of [['c@nxdomain.test'], ['nobody']])
      assert.equal((await service.client.createTask(three.key, { emails })).status, 429);
    assert.equal((await service.client.verify(three.key, 'alive@plain.test')).status, 429);
    assert.deepEqual(await service.balance(three), { granted: 3, available: 0, reserved: 0, spent: 3 });
    await service.command('credits', 'grant', three.accountId, '1');
    assert.equal((await service.client.verify(three.key, 'alive@plain.test')).status, 200);
  });

  test('when all is done the books of all accounts balance', async () => {
    const { violations } = await service.command('audit');
    assert.deepEqual(violations, []);
  });
});
