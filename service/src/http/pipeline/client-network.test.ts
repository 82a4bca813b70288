import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { clientNetwork } from './client-network.ts';

/** As much of a request as is looked at. */
function client(remoteAddress: string | undefined, forwarded?: string | string[]): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientNetwork({ raw: { socket: { remoteAddress } }, headers } as unknown as FastifyRequest);
}

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

test('a proxy on this machine is believed, in the last of what it says', () => {
  assert.equal(client('127.0.0.1', '192.0.2.9'), '192.0.2.9');
  assert.equal(client('::1', '203.0.113.7, 192.0.2.9'), '192.0.2.9');
  assert.equal(client('::ffff:127.0.0.1', ['203.0.113.7', '192.0.2.9']), '192.0.2.9');
  assert.equal(client('127.0.0.1', 'nonsense'), '127.0.0.1');
  assert.equal(client('127.0.0.1', ''), '127.0.0.1');
});

test('nobody else is: whoever could name his own address would never be slowed', () => {
  assert.equal(client('192.0.2.1', '198.51.100.1'), '192.0.2.1');
  assert.equal(client('10.0.0.1', '198.51.100.1'), '10.0.0.1');
});
