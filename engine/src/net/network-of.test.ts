import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './network-of.ts';

test('addresses of one /24 or one /48 are one network', () => {
  assert.equal(networkOf('192.0.2.77'), '192.0.2.0/24');
  assert.equal(networkOf('2001:db8:1:2::3'), '2001:db8:1::/48');
  assert.equal(networkOf('2001:db8::3'), '2001:db8:0::/48');
  assert.equal(networkOf('2001:0DB8:0001:ffff:1:2:3:4'), '2001:db8:1::/48');
  assert.equal(networkOf('::1'), '0:0:0::/48');
});

test('a network may be told wider or narrower', () => {
  assert.equal(networkOf('192.0.2.77', { ipv4: 16, ipv6: 32 }), '192.0.0.0/16');
  assert.equal(networkOf('2001:db8:1:2::3', { ipv4: 16, ipv6: 32 }), '2001:db8::/32');
  assert.equal(networkOf('192.0.2.77', { ipv4: 32, ipv6: 64 }), '192.0.2.77/32');
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6', { ipv4: 32, ipv6: 64 }), '2001:db8:1:2::/64');
});

test('what is no IP address is its own network', () => {
  assert.equal(networkOf('mx.example.com'), 'mx.example.com');
  assert.equal(networkOf(''), '');
});
