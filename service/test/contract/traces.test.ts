import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SpanKind, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient } from '../support/api-client.ts';
import { openFixture } from '../support/open-fixture.ts';
import { until } from '../support/until.ts';

const world: WorldDescription = {
  zones: { 'secret.test': { mx: [[10, 'mx.secret.test']] } },
  hosts: { 'mx.secret.test': { mailboxes: { ann: 'exists', bob: 'exists' } } },
};

describe('traces', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  let fixture: Awaited<ReturnType<typeof openFixture>>;
  let service: Awaited<ReturnType<typeof fixture.startHere>>;
  let client: ReturnType<typeof createApiClient>;
  let key = '';

  before(async () => {
    // As a file does that `--import` loads before the service.
    trace.setGlobalTracerProvider(provider);
    fixture = await openFixture({ world });
    ({ liveKey: key } = await fixture.openAccount({ credits: 10 }));
    service = await fixture.startHere();
    client = createApiClient(service.url);
  });
  after(async () => {
    client.close();
    await service.stop();
    await fixture.close();
    trace.disable();
  });

  const named = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);

  it('a request holds the lookups and the conversation that it began', async () => {
    const { requestId } = await client.verify(key, 'ann@secret.test');
    const isOurs = (span: ReadableSpan) => span.attributes['mailproof.request_id'] === requestId;
    await until(() => named('POST /api/v1/email-verification').some(isOurs));
    const request = named('POST /api/v1/email-verification').find(isOurs)!;
    assert.equal(request.kind, SpanKind.SERVER);
    assert.equal(request.attributes['http.response.status_code'], 200);
    assert.equal(request.attributes['http.route'], '/api/v1/email-verification');
    const { traceId } = request.spanContext();
    const inside = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
    const names = new Set(inside.map(({ name }) => name));
    for (const name of ['DNS MX', 'DNS A', 'SMTP conversation'])
      assert.ok(names.has(name), `${name} is not in ${[...names].join(', ')}`);
    const [conversation] = inside.filter(({ name }) => name === 'SMTP conversation');
    assert.deepEqual(conversation?.attributes, {
      'mailproof.provider': 'other',
      'mailproof.route': 'default',
    });
  });

  it('a transaction says how many operations it committed', () => {
    const sizes = named('transaction').map((span) => span.attributes['db.operation.batch.size']);
    assert.ok(sizes.length > 0 && sizes.every((size) => typeof size === 'number' && size >= 1));
  });

  it('a task is a trace of its own', async () => {
    await client.results(key, await client.createdTask(key, ['bob@secret.test']));
    await until(() =>
      named('task').some((span) => span.attributes['mailproof.task.outcome'] === 'completed'),
    );
    assert.ok(named('task').every((span) => span.parentSpanContext === undefined));
  });

  it('a refused request is told by its status', async () => {
    await client.verify('mp_live_nobody', 'ann@secret.test');
    const isRefused = (span: ReadableSpan) => span.attributes['http.response.status_code'] === 401;
    await until(() => named('POST /api/v1/email-verification').some(isRefused));
  });

  it('no attribute and no name holds an address, a domain, a key or an account', () => {
    const told = exporter
      .getFinishedSpans()
      .map(({ name, attributes, status }) => [name, attributes, status]);
    assert.ok(told.length > 10);
    assert.doesNotMatch(JSON.stringify(told), /secret|@|mp_live|acct_/);
  });
});
