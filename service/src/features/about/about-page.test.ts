import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWholeServer } from '../../start/whole-server.ts';
import { createTestParts } from '../../../test/support/http/test-parts.ts';

const about = {
  heloNames: ['probe.example.com', 'paris.example.com'],
  mailFrom: 'verify@example.com',
  contact: 'abuse@example.com',
};

test('the page says who asks, why, and how to opt out, and loads nothing', async () => {
  const server = await createWholeServer(createTestParts({ about }));
  const { statusCode, body, headers } = await server.inject('/about-this-host');
  assert.equal(statusCode, 200);
  assert.match(
    body,
    /probe\.example\.com.*verify@example\.com.*No message is ever sent.*opt out.*mailto:abuse@example\.com/s,
  );
  assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
  await server.close();
});

test('it is what stands at the HELO names, and nowhere else', async () => {
  const server = await createWholeServer(createTestParts({ about }));
  const at = async (host: string, url = '/') => (await server.inject({ url, headers: { host } })).body;
  for (const host of ['probe.example.com', 'Paris.example.com', 'probe.example.com:8080'])
    assert.match(await at(host), /About this host/, host);
  assert.doesNotMatch(await at('api.example.com'), /About this host/);
  assert.doesNotMatch(await at('probe.example.com', '/check'), /About this host/);
  await server.close();
});

test('404: without a contact there is no such page', async () => {
  const server = await createWholeServer(createTestParts());
  assert.equal((await server.inject('/about-this-host')).statusCode, 404);
  assert.doesNotMatch(
    (await server.inject({ url: '/', headers: { host: 'probe.example.com' } })).body,
    /About this host/,
  );
  await server.close();
});

test('what an operator writes is shown as text', async () => {
  const hostile = { ...about, contact: 'https://example.com/"><script>alert(1)</script>' };
  const server = await createWholeServer(createTestParts({ about: hostile }));
  assert.doesNotMatch((await server.inject('/about-this-host')).body, /<script>/);
  await server.close();
});
