import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, test } from 'node:test';
import { parseDnsServer } from './parse-dns-server.ts';
import { systemServers } from './system-servers.ts';

describe('a DNS server in a setting', () => {
  const good: [string, string, number][] = [
    ['192.0.2.1', '192.0.2.1', 53],
    ['192.0.2.1:5353', '192.0.2.1', 5353],
    ['2001:db8::1', '2001:db8::1', 53],
    ['::1', '::1', 53],
    ['[2001:db8::1]', '2001:db8::1', 53],
    ['[2001:db8::1]:5353', '2001:db8::1', 5353],
    ['[::ffff:192.0.2.1]:1', '::ffff:192.0.2.1', 1],
    ['fe80::1%eth0', 'fe80::1%eth0', 53],
    ['[fe80::1%eth0]:65535', 'fe80::1%eth0', 65535],
  ];
  for (const [text, ip, port] of good) {
    test(text, () => assert.deepEqual(parseDnsServer(text), { ip, port }));
  }

  const bad = [
    '',
    ':53',
    'dns.example',
    'dns.example:53',
    '192.0.2.1:',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '192.0.2.1:123456',
    '192.0.2.1:5a',
    '192.0.2.1:-1',
    ' 192.0.2.1',
    '192.0.2',
    '192.0.2.1:53:53',
    '[192.0.2.1]:53',
    '[::1',
    '::1]',
    '[::1]53',
    '[]:53',
    '1.2.3.4\n',
  ];
  for (const text of bad) {
    test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseDnsServer(text), undefined));
  }
});

test('the servers of the system are addresses with a port', () => {
  for (const { ip, port } of systemServers()) {
    assert.notEqual(isIP(ip), 0);
    assert.ok(port > 0);
  }
});
