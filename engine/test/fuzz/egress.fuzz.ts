import assert from 'node:assert/strict';
import fc from 'fast-check';
import { judgeAddress } from '../../src/egress/judge-address.ts';
import { parseIp } from '../../src/ip-address.ts';

/**
 * Random addresses for the egress guard. The tests run a few thousand, `npm run fuzz` the full number.
 * A broken promise throws, with the smallest input that breaks it.
 */
export type FuzzSize = { runs: number };

const nothingOpen = { allow: [], ownAddresses: [] };

/** However an IPv6 address wraps an IPv4 address that is not public, it is not public either. */
export function fuzzEmbedded({ runs }: FuzzSize): void {
  const wrapped = fc.tuple(wrapper, privateIpv4, fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), spelling);
  fc.assert(
    fc.property(wrapped, ([wrap, ipv4, noise, spell]) => {
      const address = spell(wrap(ipv4, noise));
      assert.equal(judgeAddress(address, nothingOpen).kind, 'forbidden', address);
    }),
    { numRuns: runs },
  );
}

/** The judge answers to any text, and only an address outside every block named here is public. */
export function fuzzTexts({ runs }: FuzzSize): void {
  const number = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdefx:.%/[]')), maxLength: 45 }),
    fc.ipV4Extended(),
    fc.ipV6(),
    fc.tuple(number, spelling).map(([value, spell]) => spell(value)),
  );
  fc.assert(
    fc.property(text, (address) => {
      if (judgeAddress(address, nothingOpen).kind === 'forbidden') return;
      const ip = parseIp(address);
      assert.ok(ip !== undefined);
      assert.doesNotMatch(address, /^(?:0|10|127|22[4-9]|2[345]\d)\.|[%/[\]x]/);
      const carriesIpv4 = ip.value >> 32n === 0xffffn || ip.value >> 32n === 0n;
      const isNat64 = ip.value >> 32n === 0x64ff9bn << 64n;
      if (ip.family === 6 && !carriesIpv4 && !isNat64) assert.equal(ip.value >> 125n, 1n, address);
    }),
    { numRuns: runs },
  );
}

type Wrap = (ipv4: bigint, noise: bigint) => bigint;

const low = (noise: bigint, bits: bigint) => noise & ((1n << bits) - 1n);
const turned = (ipv4: bigint) => ~ipv4 & 0xffff_ffffn;
const somePublic = 0x0808_0808n;

const wrapper = fc.constantFrom<Wrap>(
  (ipv4) => ipv4,
  (ipv4) => (0xffffn << 32n) | ipv4,
  (ipv4) => (0x64ff9bn << 96n) | ipv4,
  (ipv4, noise) => (0x64ff9b0001n << 80n) | (low(noise, 48n) << 32n) | ipv4,
  (ipv4, noise) => (0x2002n << 112n) | (ipv4 << 80n) | low(noise, 80n),
  // Teredo by its server, and by its client behind a public server.
  (ipv4, noise) => (0x20010000n << 96n) | (ipv4 << 64n) | low(noise, 64n),
  (ipv4, noise) => (0x20010000n << 96n) | (somePublic << 64n) | (low(noise, 32n) << 32n) | turned(ipv4),
  // The translated form of SIIT (RFC 2765), which needs no rule: it lies outside 2000::/3.
  (ipv4) => (0xffff0000n << 32n) | ipv4,
);

const privateBlocks: [prefix: bigint, bits: bigint][] = [
  [0n, 8n],
  [10n, 8n],
  [127n, 8n],
  [0xa9fen, 16n],
  [0xac1n, 12n],
  [0xc0a8n, 16n],
  [0x191n, 10n],
  [0xc00000n, 24n],
  [0xc00002n, 24n],
  [0x6309n, 15n],
  [0xen, 4n],
  [0xfn, 4n],
];

const privateIpv4 = fc
  .tuple(fc.constantFrom(...privateBlocks), fc.bigInt({ min: 0n, max: 0xffff_ffffn }))
  .map(([[prefix, bits], noise]) => (prefix << (32n - bits)) | low(noise, 32n - bits));

function groupsOf(value: bigint): string[] {
  return value.toString(16).padStart(32, '0').match(/.{4}/g) ?? [];
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
}

/** The same address written in full, in capitals, shortened, and with its end in dotted decimals. */
const spelling = fc.constantFrom<(value: bigint) => string>(
  (value) => groupsOf(value).join(':'),
  (value) => groupsOf(value).join(':').toUpperCase(),
  (value) => new URL(`http://[${groupsOf(value).join(':')}]`).hostname.slice(1, -1),
  (value) => `${groupsOf(value).slice(0, 6).join(':')}:${dotted(value & 0xffff_ffffn)}`,
);
