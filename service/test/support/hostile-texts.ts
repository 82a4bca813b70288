import type { Random } from './random.ts';

export type Draw = Pick<Random, 'below' | 'oneOf'> & {
  /** Returns a size between 1 and the maximum: the exponent is drawn, so small and large sizes are equally likely. */
  size: () => number;
};

/** Text files made to cost more than they should. */
const table = 'email,name\na@x.example,A\nb@x.example,B\n';

export const hostileTexts: Record<string, (draw: Draw) => Promise<Buffer> | Buffer> = {
  'a zero byte after the beginning': ({ size }) =>
    Buffer.from(`${table}${'c@x.example,C\n'.repeat(20_000 + Math.min(size(), 20_000))}d\0@x.example,D\n`),
  'UTF-16 with half a pair': ({ oneOf }) =>
    Buffer.concat([Buffer.from(`\ufeff${table}\ud83d,x\n`, 'utf16le'), Buffer.from(oneOf([[], [0x40]]))]),
  'UTF-16 without a mark': () => Buffer.from(table, 'utf16le').swap16(),
  'half a character at the end': ({ oneOf }) =>
    Buffer.concat([
      Buffer.from(table),
      Buffer.from(oneOf([[0xc3], [0xf0, 0x9f], [0xed, 0xa0, 0x80], [0xff]])),
    ]),
  'a mark and nothing else': ({ oneOf }) =>
    Buffer.from(
      oneOf([
        [0xef, 0xbb, 0xbf],
        [0xff, 0xfe],
        [0xfe, 0xff],
      ]),
    ),
  'many columns and many rows': ({ size }) =>
    Buffer.from(`${','.repeat(Math.min(size(), 250_000))}\n${'a@x.example\n'.repeat(500)}`),
  'one line of delimiters': ({ size, oneOf }) =>
    Buffer.from(table + oneOf([',', ';', '\t', '"']).repeat(size())),
  'a quote that is never closed': ({ size }) => Buffer.from(`${table}"${'x,\n'.repeat(size())}`),
  'quotes alone': ({ size }) => Buffer.from('"'.repeat(size())),
  'a long cell': ({ size }) => Buffer.from(`${table}${'x'.repeat(size())},X\n`),
  'a cell of dots': ({ size }) => Buffer.from(`${table}c@x${'.'.repeat(Math.min(size(), 900_000))}y,X\n`),
  'a cell of brackets': ({ size, oneOf }) =>
    Buffer.from(`${table}${oneOf(['<', '<>', '<"', '("', ' "']).repeat(Math.min(size(), 400_000))}@,X\n`),
  'a cell of addresses': ({ size }) =>
    Buffer.from(
      `${table}"${Array.from({ length: Math.min(size(), 50_000) }, (_, n) => `${n}@x,`).join(' ')}",X\n`,
    ),
  'lines of nothing': ({ size, oneOf }) =>
    Buffer.from(table + oneOf(['\n', '\r', '\r\n', ' \n']).repeat(size())),
  'one address many times': ({ size }) => Buffer.from('a@x.example\n'.repeat(size())),
  'a heading of one long name': ({ size }) =>
    Buffer.from(`email,${'n'.repeat(Math.min(size(), 900_000))}\na@x.example,A\n`),
  'invisible characters': ({ size }) =>
    Buffer.from(`${table}${'\u200b\u00ad\u2060'.repeat(Math.min(size(), 300_000))}@,X\n`),
};
