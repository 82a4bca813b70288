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
