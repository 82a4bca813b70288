/** Valid and invalid bodies: the 400 tables of both creation calls, and the tolerated deviations. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bulkPath, singlePath, type Answered } from '../support/api-client.ts';
import type { Ask } from './client.ts';
import { startServiceInWorld, type RunningService } from './running-service.ts';

let service: RunningService;
let key = '';
before(async () => {
  service = await startServiceInWorld();
  key = service.first.key;
});
after(() => service.stop());

const ask = (given: Ask): Promise<Answered> => service.client.ask({ key, ...given });

async function expectRefusal(path: string, given: Ask, what: string): Promise<void> {
  const { status, body } = await ask({ path, ...given });
  const reason = path === singlePath ? 'invalid_email' : 'invalid_batch';
  assert.deepEqual([status, body['reason']], [400, reason], what);
}

const good: Record<string, object> = {
  [singlePath]: { email: 'alive@plain.test' },
  [bulkPath]: { emails: ['alive@plain.test'] },
};

/** Returns a valid address of this length: a local part of 64 and a domain of labels. */
function addressOf(characters: number): string {
  const domain = `${'a'.repeat(60)}.`.repeat(3);
  const local = 'x'.repeat(64);
  const rest = characters - local.length - 1 - domain.length - '.test'.length;
  return `${local}@${domain}${'a'.repeat(rest)}.test`;
}

for (const path of [singlePath, bulkPath]) {
  describe(`the body of ${path}`, () => {
    const text = JSON.stringify(good[path]);
    const refused: [string, Ask][] = [
      ['no body', {}],
      ['an empty body', { body: '' }],
      ['broken JSON', { body: text.slice(0, -1) }],
      ['JSON with something after it', { body: `${text}x` }],
      ['single quotes', { body: text.replaceAll('"', "'") }],
      ['an array', { body: [good[path]] }],
      ['a string', { body: JSON.stringify('alive@plain.test') }],
      ['null', { body: 'null' }],
      ['an empty object', { body: {} }],
      ['a duplicate key', { body: `${text.slice(0, -1)},${text.slice(1)}` }],
      ['bytes that are no UTF-8', { body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }],
      ['no content type', { body: text, headers: { 'content-type': '' } }],
      ['text/plain', { body: text, headers: { 'content-type': 'text/plain' } }],
      [
        'a form',
        {
          body: 'email=alive%40plain.test',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      ],
      ['a type that only begins right', { body: text, headers: { 'content-type': 'application/jsonx' } }],
      ['a compressed body', { body: gzipSync(text), headers: { 'content-encoding': 'gzip' } }],
      ['a body that claims to be compressed', { body: text, headers: { 'content-encoding': 'br' } }],
      ['more than 256 KiB', { body: padded(text, 256 * 1024 + 1) }],
    ];
    for (const [what, given] of refused) {
      test(`400: ${what}`, () => expectRefusal(path, given, what));
    }

    test('parameters of the content type, and its case, do not matter', async () => {
      for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;x=y']) {
        const { status } = await ask({ path, body: text, headers: { 'content-type': type } });
        assert.ok(status === 200 || status === 201, type);
      }
    });
    test('exactly 256 KiB are taken, and properties nobody knows are ignored', async () => {
      const { status, body } = await ask({ path, body: padded(text, 256 * 1024) });
      assert.ok(status === 200 || status === 201);
      assert.ok(!('padding' in body));
    });
  });
}

/** Adds a property that fills the object up to this many bytes. */
function padded(text: string, bytes: number): string {
  const open = `${text.slice(0, -1)},"padding":"`;
  return `${open}${'x'.repeat(bytes - open.length - 2)}"}`;
}

describe('email', () => {
  const refused: [string, unknown][] = [
    ['a number', 1],
    ['null', null],
    ['a list', ['alive@plain.test']],
    ['an object', {}],
    ['true', true],
    ['empty', ''],
    ['white space alone', ' \t\n'],
    ['no @', 'alive'],
    ['no local part', '@plain.test'],
    ['no domain', 'alive@'],
    ['two of them', 'alive@plain.test,support@plain.test'],
    ['a name and an address', 'Alive <alive@plain.test>'],
    ['white space inside', 'al ive@plain.test'],
    ['a line break inside', 'alive@plain.test\r\nRCPT TO:<x@plain.test>'],
    ['a NUL', 'alive\0@plain.test'],
    ['a local part of 65 characters', `${'x'.repeat(65)}@plain.test`],
    ['255 characters', addressOf(255)],
    ['a megabyte would not fit, 100,000 characters do', 'x'.repeat(100_000)],
  ];
  for (const [what, email] of refused) {
    test(`400: ${what}`, () => expectRefusal(singlePath, { body: { email } }, what));
  }
  test('254 characters are taken', async () => {
    const { status, body } = await ask({ body: { email: addressOf(254) } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body['status'], 'invalid');
  });
  test('white space around an address is trimmed and does not count', async () => {
    const { status, body } = await ask({ body: { email: `${' '.repeat(300)}\talive@plain.test\r\n ` } });
    assert.deepEqual([status, body['email'], body['status']], [200, 'alive@plain.test', 'safe']);
  });
  test('characters are code points: an address of 144 of them is taken where UTF-16 counts 279', async () => {
    const email = `x@${`${'𠀀'.repeat(45)}.`.repeat(3)}test`;
    assert.deepEqual([Array.from(email).length, email.length], [144, 279]);
    assert.equal((await ask({ body: { email } })).status, 200);
  });
});

describe('emails and name', () => {
  const address = 'alive@plain.test';
  const refused: [string, unknown][] = [
    ['emails missing', { name: 'x' }],
    ['emails null', { emails: null }],
    ['emails a string', { emails: address }],
    ['emails an object', { emails: { 0: address } }],
    ['no entry', { emails: [] }],
    ['101 entries', { emails: Array.from({ length: 101 }, () => address) }],
    ['a number among them', { emails: [address, 1] }],
    ['null among them', { emails: [address, null] }],
    ['a list among them', { emails: [address, [address]] }],
    ['name a number', { emails: [address], name: 1 }],
    ['name null', { emails: [address], name: null }],
    ['name a list', { emails: [address], name: ['x'] }],
    ['name of 26 characters', { emails: [address], name: 'x'.repeat(26) }],
    ['name of 26 characters outside the BMP', { emails: [address], name: '🎈'.repeat(26) }],
  ];
  for (const [what, body] of refused) {
    test(`400: ${what}`, () => expectRefusal(bulkPath, { body }, what));
  }
  test('a name may have 25 characters, counted in code points, and may be empty', async () => {
    for (const name of ['x'.repeat(25), '🎈'.repeat(25), '']) {
      const created = await ask({ path: bulkPath, body: { emails: ['nobody'], name } });
      assert.equal(created.status, 201, name);
      const { body } = await service.client.readTask(key, created.body['task_id']);
      assert.equal(body['name'], `API: ${name}`);
    }
  });
  test('100 entries of the greatest length, every character escaped, are taken', async () => {
    const escape = (text: string) =>
      text.replaceAll(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const nth = (n: number) => `${String(n).padStart(3, '0')}${addressOf(254).slice(3)}`;
    const emails = Array.from({ length: 100 }, (_, n) => `"${escape(nth(n))}"`);
    const { status, body } = await ask({ path: bulkPath, body: `{"emails":[${emails.join(',')}]}` });
    assert.deepEqual([status, body['count_processing']], [201, 100]);
  });
  test('what is no address, too long or empty is rejected and does not fail the batch', async () => {
    const emails = ['', ' ', 'nobody', '@plain.test', addressOf(255), 'x'.repeat(1_000), ` ${address} `];
    const { status, body } = await ask({ path: bulkPath, body: { emails } });
    assert.deepEqual([status, body['count_rejected_emails'], body['count_processing']], [201, 6, 1]);
  });
});
