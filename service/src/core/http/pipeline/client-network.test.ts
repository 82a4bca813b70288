import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '@mailproof/engine';
import type { FastifyRequest } from 'fastify';
import { createClientAddress, networkOfClient } from './client-network.ts';

const blocks = ['127.0.0.0/8', '::1', '10.0.0.0/8', '2001:db8:ffff::/48'];
const addressOf = createClientAddress(blocks.map(parseCidr).filter((block) => block !== undefined));
const trustSome = (request: FastifyRequest) => networkOfClient(addressOf(request));
const trustNobody = (request: FastifyRequest) => networkOfClient(createClientAddress([])(request));

type Said = string | string[] | undefined;

/** As much of a request as is looked at. */
function requestFrom(remoteAddress: string | undefined, usual?: Said, forwarded?: Said): FastifyRequest {
  const headers = {
    ...(usual === undefined ? {} : { 'x-forwarded-for': usual }),
    ...(forwarded === undefined ? {} : { forwarded }),
  };
  return { raw: { socket: { remoteAddress } }, headers } as unknown as FastifyRequest;
}

const client = (...said: Parameters<typeof requestFrom>) => trustSome(requestFrom(...said));

test('a client is its address, whatever kind of socket it came through', () => {
  assert.equal(client('192.0.2.1'), '192.0.2.1');
  assert.equal(client('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(client(undefined), '');
});

test('of IPv6 the network counts: one client has as many addresses as it likes', () => {
  const network = '2001:db8:1:2::/64';
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:aaaa:bbbb:cccc:dddd', '2001:db8:1:2:3::'])
    assert.equal(client(address), network, address);
  assert.notEqual(client('2001:db8:1:3::1'), network);
  assert.equal(client('2001:db8::1'), '2001:db8:0:0::/64');
});

test('a trusted proxy is believed, in the last of what it says', () => {
  assert.equal(client('127.0.0.1', '192.0.2.9'), '192.0.2.9');
  assert.equal(client('::1', '203.0.113.7, 192.0.2.9'), '192.0.2.9');
  assert.equal(client('::ffff:127.0.0.1', ['203.0.113.7', '192.0.2.9']), '192.0.2.9');
  assert.equal(client('127.0.0.1', 'nonsense'), '127.0.0.1');
  assert.equal(client('127.0.0.1', ''), '127.0.0.1');
});

test('through several trusted proxies the first that none of them is counts', () => {
  assert.equal(client('127.0.0.1', '198.51.100.4, 192.0.2.9, 10.0.0.7, 10.1.2.3'), '192.0.2.9');
  assert.equal(client('2001:db8:ffff::7', '192.0.2.9:4711, 10.0.0.7'), '192.0.2.9');
  assert.equal(
    client('127.0.0.1', '192.0.2.9, unknown, 10.0.0.7'),
    '10.0.0.7',
    'beyond what is unknown, nobody',
  );
  assert.equal(client('127.0.0.1', '10.0.0.1, 10.0.0.2'), '10.0.0.1', 'a client inside');
});

test('Forwarded (RFC 7239) says the same in its own way', () => {
  assert.equal(client('127.0.0.1', undefined, 'for=192.0.2.9;proto=https;by=10.0.0.7'), '192.0.2.9');
  assert.equal(
    client('127.0.0.1', undefined, 'For="[2001:db8:1:2::9]:4711", for=10.0.0.7'),
    '2001:db8:1:2::/64',
  );
  assert.equal(
    client('127.0.0.1', undefined, ['for=203.0.113.7', 'proto=http;for="192.0.2.9:80"']),
    '192.0.2.9',
  );
  assert.equal(client('127.0.0.1', undefined, 'for=192.0.2.9, for=_hidden'), '127.0.0.1');
  assert.equal(
    client('127.0.0.1', undefined, 'by="a,for=192.0.2.9"'),
    '127.0.0.1',
    'quoted text is no address',
  );
});

test('where the two headers differ, one is the client’s own, and neither is believed', () => {
  assert.equal(client('127.0.0.1', '192.0.2.9', 'for=192.0.2.9'), '192.0.2.9');
  assert.equal(client('127.0.0.1', '192.0.2.9', 'for=198.51.100.1'), '127.0.0.1');
  assert.equal(client('127.0.0.1', '192.0.2.9', ''), '127.0.0.1');
});

test('nobody else is: whoever could name his own address would never be slowed', () => {
  assert.equal(client('192.0.2.1', '198.51.100.1'), '192.0.2.1');
  assert.equal(client('11.0.0.1', '198.51.100.1', 'for=198.51.100.1'), '11.0.0.1');
  assert.equal(
    trustNobody(requestFrom('127.0.0.1', '198.51.100.1')),
    '127.0.0.1',
    'by default not even loopback',
  );
});
