import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createContractCheck } from '../../../../test/support/http/contract-check.ts';
import type { ApiServer } from '../routes/http-parts.ts';
import { createWholeServer } from '../../../start/whole-server.ts';
import { createTestParts, type TestParts } from '../../../../test/support/http/test-parts.ts';
import { cpuMs } from '../../../../../engine/test/support/machine.ts';

/** How many bodies the fuzz sends. A longer run starts this file by itself, with `--fuzz-runs=20000`. */
const fuzzRuns = Number(
  process.argv.find((argument) => argument.startsWith('--fuzz-runs='))?.split('=')[1] ?? 500,
);

let server: ApiServer;
let parts: TestParts;
let check: ReturnType<typeof createContractCheck>;
before(async () => {
  parts = createTestParts();
  server = await createWholeServer(parts);
  check = createContractCheck(JSON.parse((await server.inject('/openapi.json')).body));
});
after(() => server.close());

const single = '/api/v1/email-verification';
const bulk = '/api/v1/bulk-email-verification';

async function send(url: string, payload: string | Buffer, headers: Record<string, string> = {}) {
  const response = await server.inject({
    method: 'POST',
    url,
    headers: { authorization: 'Bearer paid', 'content-type': 'application/json', ...headers },
    payload,
  });
  check(url, response);
  return response;
}

const body = '{"email":"jane@example.com"}';

describe('content types', () => {
  const taken = [
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=utf-8',
    'application/json ; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json;charset=utf-8;version=1',
  ];
  const refused = [
    '',
    ' ',
    'json',
    'text/json',
    'text/plain',
    'application/jsonp',
    'application/json5',
    'application/jso',
    'application/x-json',
    'application/ld+json',
    'application/vnd.api+json',
    'application/problem+json',
    'application/json+x',
    'application/json/x',
    'application//json',
    '/application/json',
    'application/ json',
    'application /json',
    'application/json, text/plain',
    'application/json,application/json',
    'text/plain, application/json',
    'text/plain; application/json',
    'text/plain;a="application/json"',
    'application/json text/plain',
    'application/json\ttext/plain',
    'application/json\ta',
    'application/json\x0b',
    'application/json\xa0',
    'application/json\u0000',
    '\u00a0application/json',
    'application\\json',
    'application%2fjson',
    'application/jsοn',
    'аpplication/json',
    '"application/json"',
    "'application/json'",
    '<application/json>',
    'application/json charset=utf-8',
    'application/json=utf-8',
    'application/json:charset=utf-8',
    'application/*',
    '*/*',
    '*/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data; boundary=application/json',
    'application/octet-stream',
    'application/xml',
    'application/graphql',
    'undefined',
    'null',
    '__proto__',
    'constructor',
    'application/__proto__',
  ];

  test(`${taken.length} spellings are taken`, async () => {
    for (const type of taken) {
      const response = await send(single, body, { 'content-type': type });
      assert.equal(response.statusCode, 200, JSON.stringify(type));
    }
  });

  test(`${refused.length} others are refused, and their bodies are seen by nobody`, async () => {
    const before = parts.calls.filter((call) => call === 'verifyOne').length;
    for (const type of refused) {
      const response = await send(single, body, { 'content-type': type });
      assert.equal(response.statusCode, 400, JSON.stringify(type));
    }
    assert.equal(parts.calls.filter((call) => call === 'verifyOne').length, before);
  });

  test('whatever is taken is validated', async () => {
    for (const type of taken) {
      assert.equal((await send(single, '{"email":7}', { 'content-type': type })).statusCode, 400);
    }
  });
});

describe('JSON', () => {
  test('400: broken, deep, double, poisonous, not UTF-8', async () => {
    const bodies = [
      '{"email":"jane@example.com",}',
      "{'email':'jane@example.com'}",
      '{"email":"jane@example.com"}{}',
      '{"email":"jane@example.com"} x',
      '{email:"jane@example.com"}',
      '{"email":"jane@example.com" /* x */}',
      '{"email":undefined}',
      'NaN',
      'true',
      '[{"email":"jane@example.com"}]',
      '{"email":"jane@example.com","email":"jane@example.com"}',
      '{"email":"jane@example.com","\\u0065mail":"x"}',
      '{"email":"jane@example.com","__proto__":{"polluted":1}}',
      '{"email":"jane@example.com","constructor":{"prototype":{"polluted":1}}}',
      '{"email":"jane@example.com","x":{"\\u005f_proto__":{"polluted":1}}}',
      `{"email":"jane@example.com","x":${'['.repeat(9)}${']'.repeat(9)}}`,
      '['.repeat(200_000),
      Buffer.from([...Buffer.from('{"email":"jane'), 0xff, ...Buffer.from('@example.com"}')]),
      Buffer.from('{"email":"jane@example.com"}', 'utf16le'),
    ];
    for (const payload of bodies) {
      const response = await send(single, payload);
      assert.equal(response.statusCode, 400, String(payload).slice(0, 60));
      assert.equal(response.body, '{"status":"error","reason":"invalid_email"}');
    }
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });

  test('400: bytes that are not UTF-8 are not mended, even where any text would do', async () => {
    const [before, after] = ['{"emails":["jane@example.com"],"name":"', '"}'].map((text) =>
      Buffer.from(text),
    );
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const response = await send(bulk, Buffer.concat([before!, Buffer.from(bytes), after!]));
      assert.equal(response.statusCode, 400, String(bytes));
    }
  });

  test('400: a plain body that calls itself compressed', async () => {
    for (const encoding of ['gzip', 'br', 'GZIP', 'identity, identity', 'x', '']) {
      const response = await send(single, body, { 'content-encoding': encoding });
      assert.equal(response.statusCode, 400, encoding);
    }
    assert.equal((await send(single, body, { 'content-encoding': 'identity' })).statusCode, 200);
  });

  test('a byte order mark and white space around the object are no fault', async () => {
    assert.equal((await send(single, `\ufeff \n${body}\r\n`)).statusCode, 200);
  });

  test(`${fuzzRuns} mutated bodies: a success or a 400, quickly, and nothing polluted`, async () => {
    const seeds = [
      body,
      '{"emails":["a@example.com","b"],"name":"x"}',
      '{"email":"ä@example.com","x":[1,{"y":null}]}',
    ];
    const mutation = fc.record({
      seed: fc.constantFrom(...seeds),
      at: fc.nat(60),
      cut: fc.nat(4),
      insert: fc.oneof(
        fc.constantFrom(
          '"',
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '\\',
          '\\u',
          '__proto__',
          '"email":',
          '\0',
          '\u2028',
          '1e999',
          '-0',
        ),
        fc.string({ unit: 'binary', maxLength: 6 }),
      ),
    });
    let slowestMs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(single, bulk),
        fc.oneof(mutation.map(mutate), fc.json()),
        async (url, payload) => {
          const startedAt = cpuMs();
          const { statusCode } = await send(url, payload);
          slowestMs = Math.max(slowestMs, cpuMs() - startedAt);
          assert.ok([200, 201, 400].includes(statusCode), `${statusCode} for ${payload}`);
        },
      ),
      { numRuns: fuzzRuns },
    );
    assert.ok(slowestMs < 1_000, `${slowestMs} ms`);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
    assert.deepEqual(Object.keys(Object.prototype), []);
  });
});

type Mutation = { seed: string; at: number; cut: number; insert: string };

function mutate({ seed, at, cut, insert }: Mutation): string {
  const start = at % seed.length;
  return seed.slice(0, start) + insert + seed.slice(start + cut);
}
