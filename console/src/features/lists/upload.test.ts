import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListRecord } from '@mailproof/client';
import { CallFailed } from '../../api/call.ts';
import { createUpload } from './upload.ts';

type Sent = { path: string; key: string };

/** Returns an upload whose files get these answers, one after the other. */
function uploadThatMeets(ends: (CallFailed | string)[]) {
  const sent: Sent[] = [];
  const opened: string[] = [];
  const waits: number[] = [];
  let keys = 0;
  const upload = createUpload({
    sendFile: ({ path, idempotencyKey, onProgress }) => {
      sent.push({ path, key: idempotencyKey });
      onProgress(3);
      const end = ends.shift();
      return typeof end === 'string' ? Promise.resolve({ list_id: end }) : Promise.reject(end ?? new Error());
    },
    csrfToken: () => 'token',
    randomKey: () => `key-${(keys += 1)}`,
    wait: (ms) => Promise.resolve(void waits.push(ms)),
    onSessionEnded: () => opened.push('signed out'),
    onList: ({ list_id: id }: ListRecord) => opened.push(id),
  });
  return { upload, sent, opened, waits };
}

const failed = (reason: string, status?: number) => new CallFailed({ reason, status, requestId: undefined });
const busy = () =>
  new CallFailed({ reason: 'overloaded', status: 503, requestId: undefined, retryAfterSeconds: 2 });

test('a service that is busy is asked again when it said so, under the same key, and not for ever', async () => {
  const { upload, sent, opened, waits } = uploadThatMeets([busy(), busy(), 'list-1']);
  await upload.send(new Blob(['a@example.com']), 'a.csv');
  assert.deepEqual([opened, waits], [['list-1'], [2_000, 2_000]]);
  assert.deepEqual(new Set(sent.map(({ key }) => key)), new Set(['key-1']));

  const never = uploadThatMeets(Array.from({ length: 12 }, busy));
  await never.upload.send(new Blob(['a@example.com']), 'a.csv');
  assert.deepEqual([never.upload.state.value.kind, never.sent.length], ['failed', 10]);
});

test('a file whose answer was lost is sent again under the same key, another under its own', async () => {
  const { upload, sent, opened } = uploadThatMeets([failed('network_error'), 'list-1', 'list-2']);
  await upload.send(new Blob(['a@example.com']), 'a b.csv');
  assert.equal(upload.state.value.kind, 'failed');
  await upload.again();
  await upload.send(new Blob(['b@example.com']), 'b.csv');
  assert.deepEqual(
    sent.map(({ key }) => key),
    ['key-1', 'key-1', 'key-2'],
  );
  assert.equal(sent[0]?.path, '/api/v1/lists?name=a+b.csv');
  assert.deepEqual(opened, ['list-1', 'list-2']);
  assert.deepEqual(upload.state.value, { kind: 'idle' });
});

test('a file that was refused is read by a column that is named, as a request of its own', async () => {
  const { upload, sent } = uploadThatMeets([failed('invalid_list', 400), 'list-1']);
  await upload.send(new Blob(['a']), 'a.csv');
  await upload.withColumn('contact');
  assert.deepEqual(sent[1], { path: '/api/v1/lists?name=a.csv&column=contact', key: 'key-2' });
});

test('an upload that is stopped leaves nothing on the page, and one without a session says that it has ended', async () => {
  const { upload, opened } = uploadThatMeets([failed('upload_stopped'), failed('no_session', 401)]);
  const sending = upload.send(new Blob(['a']), 'a.csv');
  upload.stop();
  await sending;
  assert.deepEqual(upload.state.value, { kind: 'idle' });
  await upload.send(new Blob(['a']), 'a.csv');
  assert.deepEqual(opened, ['signed out']);
});

test('a name is cut to what the service takes, by characters and not in the middle of one', async () => {
  const { upload, sent } = uploadThatMeets(['list-1']);
  await upload.send(new Blob(['a']), '𝒜'.repeat(300));
  assert.equal(new URL(sent[0]?.path ?? '', 'http://x.test').searchParams.get('name'), '𝒜'.repeat(200));
});
