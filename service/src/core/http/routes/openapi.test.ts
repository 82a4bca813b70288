import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createWholeServer } from '../../../start/whole-server.ts';
import { createTestParts } from '../../../../test/support/http/test-parts.ts';

/** The rules that linters and generators of clients hold an OpenAPI document to. */
type Json = Record<string, unknown>;

describe('the OpenAPI document', () => {
  let document: Json;
  before(async () => {
    const server = await createWholeServer(createTestParts());
    document = (await server.inject('/openapi.json')).json<Json>();
    await server.close();
  });

  const inside = (value: unknown, ...names: string[]): Json =>
    names.reduce((inner, name) => asJson(inner[name]), asJson(value));
  const operations = () =>
    Object.entries(inside(document, 'paths')).flatMap(([path, methods]) =>
      Object.entries(asJson(methods)).map(([method, operation]) => ({ path, method, ...asJson(operation) })),
    ) as ({ path: string; method: string } & Json)[];

  test('every record is a schema with a name, and stands in the document once', () => {
    const schemas = inside(document, 'components', 'schemas');
    assert.ok(Object.keys(schemas).length > 50);
    for (const name of Object.keys(schemas)) assert.match(name, /^[A-Z][A-Za-z\d]*$/);
    const contents = Object.values(schemas).map((schema) =>
      JSON.stringify(
        Object.entries(asJson(schema)).filter(([key]) => !/^(?:title|description|examples)$/.test(key)),
      ),
    );
    assert.equal(new Set(contents).size, contents.length);
    const records = recordsIn(document['paths']).concat(
      Object.values(schemas).flatMap((schema) => Object.values(asJson(schema)).flatMap(recordsIn)),
    );
    assert.deepEqual(records, [], 'records without a name');
  });

  test('the names of what the contract and the client speak of are theirs', () => {
    const names = new Set(Object.keys(inside(document, 'components', 'schemas')));
    for (const name of [
      ...['VerificationRequest', 'VerificationResult', 'BulkRequest', 'BulkCreated', 'BulkProgress'],
      ...['BulkResultRecord', 'Explanation', 'ListRecord', 'ListPage', 'ListRow', 'ListRowPage', 'Account'],
      ...['AccountKey', 'LedgerEntry', 'LedgerPage', 'Usage', 'SessionState', 'AdminAccount', 'Health'],
      ...['Error', 'ListError', 'ListUpload'],
    ])
      assert.ok(names.has(name), name);
  });

  test('every reference leads somewhere, and every schema is referred to', () => {
    const named = Object.keys(inside(document, 'components', 'schemas'));
    const used = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    assert.deepEqual([...new Set(used.map((match) => match[1]))].sort(), named.sort());
  });

  test('every event is described as a webhook, with its three headers and a record that has a name', () => {
    const webhooks = inside(document, 'webhooks');
    assert.deepEqual(Object.keys(webhooks), [
      'task.completed',
      'list.completed',
      'list.paused',
      'credits.low',
      'webhook.test',
    ]);
    for (const name of Object.keys(webhooks)) {
      const post = inside(webhooks, name, 'post');
      assert.deepEqual(
        (post['parameters'] as Json[]).map((one) => one['name']),
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      );
      const schema = inside(post, 'requestBody', 'content', 'application/json', 'schema');
      assert.match(String(schema['$ref']), /^#\/components\/schemas\/[A-Z]\w+Event$/);
    }
  });

  test('every operation has an id of its own, a summary, a tag that is described, an answer that succeeds and one that refuses', () => {
    const tags = new Set((document['tags'] as { name: string }[]).map(({ name }) => name));
    const ids = operations().map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { path, method, summary, tags: own, responses } of operations()) {
      assert.ok(typeof summary === 'string' && summary !== '', `${method} ${path}`);
      assert.ok(
        (own as string[]).every((tag) => tags.has(tag)),
        `${method} ${path}: ${String(own)}`,
      );
      const statuses = Object.keys(asJson(responses));
      assert.ok(
        statuses.some((status) => status.startsWith('2')),
        `${method} ${path}`,
      );
      assert.ok(
        statuses.some((status) => status.startsWith('4')),
        `${method} ${path}`,
      );
    }
  });

  test('every operation and every parameter says in a sentence what it is', () => {
    for (const { path, method, summary, description, parameters: own = [] } of operations()) {
      assert.ok(typeof description === 'string' && description.length > 10, `${method} ${path}`);
      assert.notEqual(description, summary, `${method} ${path}`);
      for (const one of own as Json[])
        assert.ok(typeof one['description'] === 'string', `${method} ${path} ${String(one['name'])}`);
    }
  });

  test('every call that sends something says what, and those that send nothing are known', () => {
    const isChange = ({ method }: { method: string }) => method === 'post' || method === 'patch';
    const without = operations().filter((one) => isChange(one) && !('requestBody' in one));
    assert.deepEqual(without.map(({ operationId }) => operationId).sort(), [
      ...[
        'cancelList',
        'pauseList',
        'resendWebhookDelivery',
        'resumeList',
        'rotateWebhookSecret',
        'testWebhook',
      ],
    ]);
    const upload = inside(document, 'paths', '/api/v1/lists', 'post', 'requestBody');
    assert.deepEqual(
      [upload['required'], Object.keys(inside(upload, 'content'))],
      [
        true,
        [
          ...['text/csv', 'text/plain', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
          ...['application/octet-stream', 'multipart/form-data'],
        ],
      ],
    );
  });

  test('every change by somebody who has signed in names the header against forged requests', () => {
    for (const { path, method, security, parameters: own = [] } of operations()) {
      const bySession = (security as Json[]).some((scheme) => 'session' in scheme);
      const named = (own as Json[]).some((one) => one['name'] === 'x-csrf-token');
      assert.equal(named, bySession && method !== 'get', `${method} ${path}`);
    }
  });

  test('every error is the same record, and its reasons stand in the examples of the response', () => {
    for (const { path, method, responses } of operations())
      for (const [status, response] of Object.entries(asJson(responses))) {
        if (!/^[45]/.test(status) || (path === '/readyz' && status === '503')) continue;
        const { schema, examples } = inside(response, 'content', 'application/json');
        const reference = String(asJson(schema)['$ref']);
        assert.match(reference, /^#\/components\/schemas\/(?:List)?Error$/, `${method} ${path} ${status}`);
        for (const [reason, example] of Object.entries(asJson(examples)))
          assert.deepEqual(asJson(example)['value'], { status: 'error', reason });
        assert.ok(Object.keys(asJson(examples)).length > 0, `${method} ${path} ${status}`);
      }
  });

  test('every operation says who may call it: a key or a session, the token or a session, a form key, a prober, or anybody', () => {
    const schemes = inside(document, 'components', 'securitySchemes');
    assert.deepEqual(
      [inside(schemes, 'session')['in'], inside(schemes, 'session')['name']],
      ['cookie', 'mailproof_session'],
    );
    for (const { path, method, security } of operations()) {
      const expected =
        path === '/api/v1/form-check'
          ? ['formKey']
          : path.startsWith('/probe/')
            ? ['proberSecret']
            : path.startsWith('/api/')
              ? ['apiKey', 'session']
              : path.startsWith('/admin/')
                ? ['adminToken', 'session']
                : path === '/session' && method !== 'post'
                  ? ['session']
                  : [];
      const named = (security as Json[]).flatMap((scheme) => Object.keys(scheme));
      assert.deepEqual(named, expected, `${method} ${path}`);
    }
  });

  test('a parameter that is refused unless it fits says what fits', () => {
    const parameters = operations().flatMap(({ parameters: own = [] }) => own as Json[]);
    const patternsOf = (name: string) =>
      new Set(
        parameters.filter((one) => one['name'] === name).map((one) => inside(one, 'schema')['pattern']),
      );
    assert.deepEqual([...patternsOf('idempotency-key')], ['^[\\x21-\\x7e]+$']);
    assert.deepEqual([...patternsOf('before'), ...patternsOf('after')], Array(2).fill('^[A-Za-z0-9_-]+$'));
    const inPaths = operations().flatMap(({ path }) =>
      [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
    );
    const described = parameters.filter((one) => one['in'] === 'path');
    assert.equal(described.length, inPaths.length);
    assert.ok(described.every((one) => one['required'] === true));
  });
});

/** Where a record stands that has no name. */
function recordsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(recordsIn);
  const json = asJson(value);
  const own = json['type'] === 'object' && 'properties' in json ? [JSON.stringify(json).slice(0, 80)] : [];
  return [...own, ...Object.values(json).flatMap(recordsIn)];
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
