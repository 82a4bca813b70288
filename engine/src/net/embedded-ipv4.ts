import type { SpecialBlock } from '../egress/special-blocks.ts';

/** A form of IPv6 address that stands for, or is carried to, IPv4 addresses written inside it. */
export type Embedding = SpecialBlock & {
  /** The IPv4 addresses inside: each of them is where a packet may end up. */
  read(value: bigint): bigint[];
};

const lowest32 = (value: bigint) => value & 0xffff_ffffn;

export const embeddings: readonly Embedding[] = [
  { block: '::/96', name: 'IPv4-compatible', source: 'RFC 4291', read: (value) => [lowest32(value)] },
  { block: '::ffff:0:0/96', name: 'IPv4-mapped', source: 'RFC 4291', read: (value) => [lowest32(value)] },
  { block: '64:ff9b::/96', name: 'NAT64', source: 'RFC 6052', read: (value) => [lowest32(value)] },
  { block: '2002::/16', name: '6to4', source: 'RFC 3056', read: (value) => [lowest32(value >> 80n)] },
  {
    block: '2001::/32',
    name: 'Teredo',
    source: 'RFC 4380',
    // The server in the clear, and the client with every bit turned over (section 4).
    read: (value) => [lowest32(value >> 64n), lowest32(~value)],
  },
];
