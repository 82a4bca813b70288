import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reverseName } from './reverse-name.ts';

describe('the name under which an address points back', () => {
  const zeros = (count: number) => '0.'.repeat(count);
  const names: [string, string][] = [
    ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
    ['::', `${zeros(32)}ip6.arpa`],
    ['::1', `1.${zeros(31)}ip6.arpa`],
    ['2001:db8::', `${zeros(24)}8.b.d.0.1.0.0.2.ip6.arpa`],
    ['2001:DB8::567:89ab', 'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
    ['1:2:3:4:5:6:7:8', '8.0.0.0.7.0.0.0.6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.ip6.arpa'],
    ['::ffff:192.0.2.1', `1.0.2.0.0.0.0.c.f.f.f.f.${zeros(20)}ip6.arpa`],
    ['fe80::1%eth0', `1.${zeros(27)}0.8.e.f.ip6.arpa`],
  ];
  for (const [ip, expected] of names) {
    test(ip, () => assert.equal(reverseName(ip), expected));
  }

  test('what is no address has none', () => {
    for (const text of ['', 'example.test', '1.2.3', '192.0.2.1.evil.test'])
      assert.throws(() => reverseName(text));
  });
});
