import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { systemClock } from '@mailproof/engine';
import { acceptedBy, probeFor } from '../../../test/support/probe-for.ts';
import { createHttpsSource } from './https-source.ts';
import type { ReportMessage } from './prober-messages.ts';

const never = new AbortController().signal;
const result = {
  probe: 'probe',
  lease: 'lease',
  fence: 1,
  evidence: acceptedBy(probeFor('one@example.com', 'default')),
  begunMsAgo: 20,
};
const report = { results: [result], learned: [], renew: [] };

/** A centre of which each process answers as its version does: the old one knows neither the header nor its fields. */
async function startCentre(t: TestContext, processes: ('old' | 'new')[]) {
  const heard: { begun: (number | undefined)[]; protocol: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const version = processes[Math.min(heard.length, processes.length - 1)];
    void json(request).then((body) => {
      const begun = (body as ReportMessage).results.map((one) => one.begun_ms);
      heard.push({ begun, protocol: request.headers['x-probe-protocol'] as string | undefined });
      const isRefused = version === 'old' && begun.some((one) => one !== undefined);
      if (version === 'new') response.setHeader('x-probe-protocol', '2');
      response.statusCode = isRefused ? 400 : 200;
      const answer = version === 'new' ? { ended: [], withdrawn: ['probe'] } : { ended: [] };
      response.end(JSON.stringify(isRefused ? { status: 'error', reason: 'invalid_request' } : answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const source = createHttpsSource({
    centre: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    secret: 'secret',
    instance: 'instance-one',
    version: '1',
    clock: systemClock,
    describe: () => ({ conversations: 0, resting: 0 }),
    onLearned: () => undefined,
    onEnd: () => undefined,
  });
  return { source, heard };
}

it('an older centre is told nothing that it cannot read', async (t) => {
  const { source, heard } = await startCentre(t, ['old']);
  for (let n = 0; n < 2; n += 1)
    assert.deepEqual(await source.report(report, never), { ended: [], withdrawn: [] });
  assert.deepEqual(
    heard.map(({ begun }) => begun),
    [[undefined], [undefined]],
  );
});

it('a centre that speaks our protocol hears when a conversation began, and tells what was withdrawn', async (t) => {
  const { source, heard } = await startCentre(t, ['new']);
  await source.report(report, never);
  assert.deepEqual((await source.report(report, never)).withdrawn, ['probe']);
  assert.deepEqual(heard, [
    { begun: [undefined], protocol: '2' },
    { begun: [20], protocol: '2' },
  ]);
});

it('a report that an older process of the centre refuses is said again in its words', async (t) => {
  const { source, heard } = await startCentre(t, ['new', 'old']);
  await source.report(report, never);
  assert.deepEqual((await source.report(report, never)).ended, []);
  assert.deepEqual(
    heard.map(({ begun }) => begun),
    [[undefined], [20], [undefined]],
  );
});
