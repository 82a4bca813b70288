import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../net/parse-cidr.ts';
import { createReachesIpv6 } from './reaches-ipv6.ts';

type Parts = Parameters<typeof createReachesIpv6>[0];

function reaches(own: string[], parts: Partial<Parts> = {}): boolean {
  return createReachesIpv6({
    routes: [],
    allow: [],
    ownAddresses: () => own,
    mayAskElsewhere: () => false,
    ...parts,
  })();
}

const privateOnly = ['127.0.0.1', '198.51.100.7', '::1', 'fe80::1', 'fd00::2'];

test('a public IPv6 address of this machine is a way out, and nothing less is', () => {
  assert.equal(reaches(privateOnly), false);
  assert.equal(reaches([...privateOnly, '2a00:1450::1']), true);
});

test('what the operator set up for IPv6 counts, and so does who may have what we have not', () => {
  const socks5 = { host: '127.0.0.1', port: 1080 };
  const loopback = ['127.0.0.0/8', '::1/128'].map((block) => parseCidr(block)!);
  assert.equal(reaches(privateOnly, { allow: loopback.slice(0, 1) }), false);
  assert.equal(reaches(privateOnly, { allow: loopback }), true);
  assert.equal(reaches(privateOnly, { routes: [{ id: 'one', kind: 'direct' }] }), false);
  assert.equal(
    reaches(privateOnly, { routes: [{ id: 'one', kind: 'direct', localAddress: 'fd00::2' }] }),
    true,
  );
  assert.equal(reaches(privateOnly, { routes: [{ id: 'one', kind: 'socks5', socks5 }] }), true);
  assert.equal(reaches(privateOnly, { mayAskElsewhere: () => true }), true);
});

test('an address that comes later is seen', () => {
  let own = privateOnly;
  const isReached = createReachesIpv6({
    routes: [],
    allow: [],
    ownAddresses: () => own,
    mayAskElsewhere: () => false,
  });
  assert.equal(isReached(), false);
  own = ['2a00:1450::1'];
  assert.equal(isReached(), true);
});
