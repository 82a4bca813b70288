import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, describe, test } from 'node:test';
import { createClient } from './create-client.ts';
import { systemParts } from './exchange.ts';
import { MailproofError } from './mailproof-error.ts';
import { startStandIn, type Fault } from '../test/support/start-stand-in.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

type Circumstances = { faults?: Fault[]; looks?: number; credits?: number };

/** The faults befall the first requests in turn; waits are noted and not waited for. */
async function start({ faults = [], looks = 1, credits = 1_000 }: Circumstances = {}) {
  const faultOf = ({ number }: { number: number }) => faults[number - 1] ?? 'none';
  const standIn = await startStandIn({ faultOf, looksPerTask: looks, credits });
  endings.push(() => standIn.stop());
  const waits: number[] = [];
  const wait = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  const parts = { ...systemParts, random: () => 0.5, wait };
  const { lists } = createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey }, parts);
  return { standIn, lists, waits };
}

const file = 'name,email\nAda,ada@example.com\nBob,invalid@example.com\nBob,INVALID@example.com\nEve,\n';
const reasonIs = (reason: string) => (error: unknown) =>
  error instanceof MailproofError && error.reason === reason;

describe('a list', () => {
  test('is uploaded, started, waited for and downloaded', async () => {
    const { lists, standIn } = await start({ looks: 3 });
    const created = await lists.create(file, { name: 'people.csv', contentType: 'text/csv' });
    assert.deepEqual(
      [created.name, created.state, created.rows, created.addresses, created.duplicates, created.blank],
      ['people.csv', 'surveyed', 4, 2, 1, 1],
    );
    assert.equal((await lists.start(created.list_id)).state, 'running');
    const seen: number[] = [];
    const ended = await lists.wait(created.list_id, { onProgress: ({ checked }) => seen.push(checked) });
    assert.deepEqual([ended.state, seen, standIn.counts.spent], ['completed', [0, 1, 2], 2]);
    const download = await lists.download(created.list_id);
    assert.equal(download.fileName, 'people.csv-checked.csv');
    assert.match(await textOf(download.stream), /^Ada,ada@example\.com,safe,98,/m);
    const sendable = await lists.download(created.list_id, { rows: 'sendable', format: 'jsonl' });
    assert.equal((await textOf(sendable.stream)).split('\n').length, 2);
  });

  const contents = {
    text: file,
    bytes: new TextEncoder().encode(file),
    'a part of a larger buffer': Buffer.from(`xx${file}`).subarray(2),
    'a blob': new Blob([file]),
    'a stream': new Blob([file]).stream(),
    'a function that opens one': () => new Blob([file]).stream(),
  };
  for (const [what, content] of Object.entries(contents))
    test(`may come as ${what}`, async () => {
      const { lists } = await start();
      assert.equal((await lists.create(content)).rows, 4);
    });

  test('is uploaded once under one key, though answers were lost; a stream is not sent again', async () => {
    const { lists, standIn } = await start({ faults: ['lose_answer', 'lose_request', 'refuse'] });
    const open = () => new Blob([file]).stream();
    const first = await lists.create(open, { idempotencyKey: 'k' });
    assert.equal((await lists.create(file, { idempotencyKey: 'k' })).list_id, first.list_id);
    assert.deepEqual([standIn.counts.lists, standIn.counts.requests], [1, 5]);
    const lossy = await start({ faults: ['lose_answer'] });
    await assert.rejects(lossy.lists.create(open(), { idempotencyKey: 'k' }), reasonIs('network_error'));
    assert.equal(lossy.standIn.counts.requests, 1);
  });

  test('without an idempotency key whose answer was lost is not uploaded again', async () => {
    const { lists, standIn } = await start({ faults: ['lose_answer'] });
    await assert.rejects(lists.create(file), reasonIs('network_error'));
    assert.equal(standIn.counts.requests, 1);
  });

  test('that is none is refused with the detail of the service', async () => {
    const { lists } = await start();
    await assert.rejects(lists.create('a,b\nc,d\n'), (error) => {
      assert.ok(error instanceof MailproofError);
      assert.deepEqual([error.reason, error.status], ['invalid_list', 400]);
      assert.equal(error.detail, 'We found no email addresses in this file.');
      return true;
    });
  });

  test('is started once, though the answer was lost; without credits it is not', async () => {
    const { lists, standIn } = await start({ faults: ['none', 'lose_answer'], credits: 2 });
    const { list_id: id } = await lists.create(file);
    assert.equal((await lists.start(id)).state, 'running');
    assert.equal(standIn.counts.verified, 2);
    const other = await lists.create(`${file}Zoe,zoe@example.com\n`);
    await assert.rejects(lists.start(other.list_id), reasonIs('insufficient_credits'));
    assert.equal((await lists.start(other.list_id, { first: 0 })).wanted, 0);
  });

  test('is paused, resumed, cancelled, renamed and removed, and found among the others', async () => {
    const { lists } = await start({ looks: 10, faults: ['none', 'none', 'lose_answer'] });
    const { list_id: id } = await lists.create(file);
    await lists.start(id);
    assert.equal((await lists.pause(id)).state, 'paused');
    assert.equal((await lists.resume(id)).state, 'running');
    assert.equal((await lists.cancel(id)).state, 'cancelled');
    assert.equal((await lists.change(id, { name: 'May' })).name, 'May');
    const { list_id: newer } = await lists.create(file);
    const page = await lists.page();
    assert.deepEqual([page.lists.map(({ list_id: one }) => one), page.next], [[newer, id], null]);
    await lists.remove(id);
    await assert.rejects(lists.read(id), reasonIs('list_not_found'));
  });

  test('has its rows read page by page, as far as they are wanted', async () => {
    const { lists, standIn } = await start();
    const { list_id: id } = await lists.create(`email\n${'ada@example.com\n'.repeat(8)}`);
    const numbers: number[] = [];
    for await (const { row } of lists.rows(id)) numbers.push(row);
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    const before = standIn.counts.requests;
    for await (const { row } of lists.rows(id)) if (row === 4) break;
    assert.equal(standIn.counts.requests - before, 2);
    const page = await lists.rowPage(id, { status: 'safe' });
    assert.deepEqual(page, { rows: [], next: null });
  });
});

describe('waiting', () => {
  test('looks at the list less and less often, and survives refusals and lost connections', async () => {
    const outage = Array<Fault>(25).fill('refuse');
    const faults: Fault[] = ['none', 'none', 'none', 'lose_request', 'lose_answer', ...outage];
    const { lists, waits } = await start({ faults, looks: 16 });
    const { list_id: id } = await lists.create(file);
    await lists.start(id);
    const ended = await lists.wait(id);
    assert.equal(ended.state, 'completed');
    assert.deepEqual([waits[0], waits.at(-1)], [100, 5_000]);
  });

  test('ends when the service has been away for an hour, or does not know the list', async () => {
    const { lists, standIn } = await start();
    const { list_id: id } = await lists.create(file);
    await lists.start(id);
    await assert.rejects(lists.wait('another'), reasonIs('list_not_found'));
    await standIn.stop();
    endings.length = 0;
    let now = 0;
    const wait = (ms: number) => Promise.resolve(void (now += ms));
    const parts = { ...systemParts, random: () => 0.5, now: () => now, wait };
    const client = createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey }, parts);
    await assert.rejects(client.lists.wait(id), reasonIs('network_error'));
    assert.ok(now > 3_600_000 && now < 4_000_000, `${now} ms`);
  });

  test('for a list that nobody has started is a mistake', async () => {
    const { lists } = await start();
    const { list_id: id } = await lists.create(file);
    await assert.rejects(lists.wait(id), reasonIs('wrong_list_state'));
  });

  test("ends with the caller's abort", async () => {
    const { standIn } = await start({ looks: 1_000_000 });
    const { lists } = createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey });
    const { list_id: id } = await lists.create(file);
    await lists.start(id);
    const abort = new AbortController();
    const onProgress = () => abort.abort(new Error('enough'));
    await assert.rejects(lists.wait(id, { signal: abort.signal, onProgress }), { message: 'enough' });
  });
});

describe('a download', () => {
  async function serve(server: Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endings.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('that breaks off fails to be read, and never looks whole', async () => {
    const baseUrl = await serve(
      createServer((_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('half', () => response.destroy());
      }),
    );
    const { stream } = await createClient({ baseUrl, apiKey: 'k' }).lists.download('one');
    await assert.rejects(textOf(stream));
  });

  test("ends with the caller's abort", async () => {
    const baseUrl = await serve(createServer((_request, response) => void response.write('half')));
    const abort = new AbortController();
    const { lists } = createClient({ baseUrl, apiKey: 'k' });
    const { stream } = await lists.download('one', { signal: abort.signal });
    const reader = stream.getReader();
    await reader.read();
    abort.abort(new Error('enough'));
    await assert.rejects(reader.read(), { message: 'enough' });
  });

  test('may take longer than an attempt: the deadline is that of its beginning', async () => {
    let ended = false;
    const client = createClient({
      baseUrl: 'http://mail.example',
      apiKey: 'k',
      limits: { attemptMs: 1 },
      fetch: (_url, { signal }) => {
        signal.addEventListener('abort', () => (ended = true));
        return Promise.resolve(new Response('whole'));
      },
    });
    const { stream } = await client.lists.download('one');
    // Timers run in the order of their time: the deadline's would have been first.
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual([await textOf(stream), ended], ['whole', false]);
  });
});
