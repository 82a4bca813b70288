import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';
import { fuzzEmbedded, fuzzTexts } from '../../test/fuzz/egress.fuzz.ts';
import { judgeAddress, embeddings, specialIpv4, specialIpv6 } from './judge-address.ts';
import { ownAddresses } from './own-addresses.ts';
import { parseCidr, type Cidr } from '../ip-address.ts';

const nothingOpen = { allow: [], ownAddresses: [] };
const kindOf = (address: string) => judgeAddress(address, nothingOpen).kind;

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

function cidr(text: string): Cidr {
  const block = parseCidr(text);
  assert.ok(block !== undefined, text);
  return block;
}

function textOf(family: 4 | 6, value: bigint): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
  return value.toString(16).padStart(32, '0').match(/.{4}/g)!.join(':');
}

/** First and last address of a block, and the neighbours on either side if there are any. */
function edgesOf(block: string): { inside: string[]; outside: string[] } {
  const { family, value, bits } = cidr(block);
  const width = family === 4 ? 32n : 128n;
  const last = value + (1n << (width - BigInt(bits))) - 1n;
  const outside = [value - 1n, last + 1n].filter((edge) => edge >= 0n && edge < 1n << width);
  return {
    inside: [value, last].map((edge) => textOf(family, edge)),
    outside: outside.map((edge) => textOf(family, edge)),
  };
}

describe('the edges of every special block', () => {
  const rows = [...specialIpv4, ...specialIpv6, ...embeddings];
  // Node's own arithmetic decides which neighbour lies in another special block. One list a family: in a
  // common one every IPv4 address would be found in the IPv4-mapped block.
  const known = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { block } of [...rows, { block: '::/3' }, { block: '4000::/2' }, { block: '8000::/1' }]) {
    const [address = '', bits] = block.split('/');
    known[familyOf(address)].addSubnet(address, Number(bits), familyOf(address));
  }
  let addresses = 0;

  for (const { block, name } of rows) {
    it(`${block} (${name})`, () => {
      const { inside, outside } = edgesOf(block);
      for (const address of inside) assert.equal(kindOf(address), 'forbidden', address);
      for (const address of outside) {
        const special = known[familyOf(address)].check(address, familyOf(address));
        assert.equal(kindOf(address), special ? 'forbidden' : 'public', address);
      }
      addresses += inside.length + outside.length;
    });
  }
  it('make more than 200 addresses', () => assert.ok(addresses >= 200, String(addresses)));
});

describe('addresses that must never be dialled', () => {
  const forbidden = [
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.255', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.168.0.1', '198.19.255.255', '224.0.0.1', '239.255.255.255'],
    ...['240.0.0.1', '255.255.255.255', '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    ...['::FFFF:10.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b:1::8.8.8.8', '2002:7f00:1::', '2002:c0a8:101::1'],
    ...[
      '2001:0:0a00:1::',
      '2001:0:808:808::f5ff:fffe',
      'fe80::1',
      'febf::1',
      'fec0::1',
      'fd00::1',
      'ff02::1',
    ],
    ...[
      '2001:db8::1',
      '3fff:fff::1',
      '::ffff:0:10.0.0.1',
      '4000::1',
      '8000::1',
      'e000::1',
      '1fff::1',
      '200::1',
    ],
  ];
  for (const address of forbidden) it(address, () => assert.equal(kindOf(address), 'forbidden'));
});

describe('any text but a plain IP literal is forbidden', () => {
  const literals = [
    ...['', ' 8.8.8.8', '8.8.8.8 ', '8.8.8', '8.8.8.8.8', '08.8.8.8', '0x8.8.8.8', '134744072', '8.8.8.256'],
    ...[
      'fe80::1%eth0',
      '2600::1%lo',
      '[2600::1]',
      '2600::1/64',
      '2600:::1',
      '2600::1::2',
      'mail.example.com',
    ],
    ...['localhost', '1.1.1.1\0', '１.１.１.１'],
  ];
  for (const literal of literals)
    it(JSON.stringify(literal), () => assert.equal(kindOf(literal), 'forbidden'));
});

describe('addresses of the public internet', () => {
  const open = [
    ...[
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
    ],
    ...['128.0.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0'],
    ...['198.17.255.255', '198.20.0.0', '223.255.255.255', '2001:200::1', '2001:4860:4860::8888', '2600::'],
    ...['2a00:1450::1b', '2620:4f:8001::', '3ffe::1', '3fff:1000::', '2003::1', '2001:db7::1', '2001:db9::1'],
    // Forms that carry IPv4 are judged by the address they carry.
    ...['::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1', '2001:0:808:808::f7f7:f7f7'],
  ];
  for (const address of open) it(address, () => assert.equal(kindOf(address), 'public'));
});

describe("this machine's own addresses", () => {
  const parts = { allow: [], ownAddresses: ['8.8.4.4', '2600::25'] };
  it('are forbidden in every spelling', () => {
    const own = [
      '8.8.4.4',
      '::ffff:8.8.4.4',
      '64:ff9b::8.8.4.4',
      '2002:808:404::',
      '2600::25',
      '2600:0::0025',
    ];
    for (const address of own) assert.equal(judgeAddress(address, parts).kind, 'forbidden', address);
    assert.equal(judgeAddress('8.8.4.5', parts).kind, 'public');
  });
  it('are read from the interfaces, each a plain literal', () => {
    assert.ok(ownAddresses().includes('127.0.0.1'));
    for (const address of ownAddresses()) assert.ok(parseCidr(address) !== undefined, address);
  });
});

describe('a block the operator opened', () => {
  const allow = ['127.0.0.0/8', '::1/128', 'fd00::/8'].map(cidr);
  const judge = (address: string, own: string[] = []) =>
    judgeAddress(address, { allow, ownAddresses: own }).kind;
  it('is allowed, also where it is this machine', () => {
    assert.equal(judge('127.0.0.1', ['127.0.0.1']), 'allowed');
    assert.equal(judge('::1', ['::1']), 'allowed');
    assert.equal(judge('::ffff:127.9.9.9'), 'allowed');
    assert.equal(judge('fd12::1'), 'allowed');
  });
  it('opens nothing beside it', () => {
    for (const address of ['128.0.0.0', '8.8.8.8']) assert.equal(judge(address), 'public');
    for (const address of ['10.0.0.1', '::2', 'fc00::1', '126.0.0.1%lo'])
      assert.equal(judge(address), 'forbidden');
  });
  it('is not reached through a tunnel', () => {
    for (const address of ['64:ff9b::127.0.0.1', '2002:7f00:1::', '::127.0.0.1', '2001:0:7f00:1::']) {
      assert.equal(judge(address), 'forbidden', address);
    }
  });
});

describe('a CIDR block', () => {
  it('is read', () => {
    assert.deepEqual(parseCidr('10.0.0.0/8'), {
      family: 4,
      value: 0x0a00_0000n,
      last: 0x0aff_ffffn,
      bits: 8,
    });
    assert.deepEqual(parseCidr('0.0.0.0/0'), { family: 4, value: 0n, last: 0xffff_ffffn, bits: 0 });
    assert.deepEqual(parseCidr('::1/128'), { family: 6, value: 1n, last: 1n, bits: 128 });
    assert.deepEqual(parseCidr('::1'), { family: 6, value: 1n, last: 1n, bits: 128 });
  });
  const malformed = [
    ...['', '/', '10.0.0.0/', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.1/8', '10.0.0.0/-1'],
    ...['10.0.0.0/8.0', '10.0.0.0/ 8', '10/8', 'fe80::%eth0/10', 'example.com/8', '10.0.0.0/1e1'],
  ];
  for (const text of malformed) {
    it(`is not read from ${JSON.stringify(text)}`, () => assert.equal(parseCidr(text), undefined));
  }
});

describe('random addresses', () => {
  it('a wrapped private address is never public', () => fuzzEmbedded({ runs: 5_000 }));
  it('any text is judged, and nothing strange is public', () => fuzzTexts({ runs: 5_000 }));
});
