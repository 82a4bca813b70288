import { makeWorkbook } from './make-workbook.ts';
import { hostileTexts, type Draw } from './hostile-texts.ts';
import { createRandom } from './random.ts';

/**
 * Files made to cost more than they should: nested, wide, sparse, badly encoded, larger than they look. Each shape
 * comes in many sizes; the same seed makes the same files.
 */
type HostileFile = { name: string; bytes: Buffer };

type HostileOrder = {
  count: number;
  seed: number;
  /** The largest number of elements, cells or repetitions in a file. */
  most: number;
};

export async function* makeHostileFiles({ count, seed, most }: HostileOrder): AsyncGenerator<HostileFile> {
  const shapes = [...Object.entries(workbooks), ...Object.entries(hostileTexts)];
  const random = createRandom(seed);
  const size = (): number => Math.max(1, Math.round(most ** (0.3 + 0.7 * random.next())));
  const draw = { ...random, size };
  for (let number = 0; number < count; number += 1) {
    const [shape, make] = shapes[number % shapes.length] ?? [];
    if (shape === undefined || make === undefined) throw new Error('there is no shape');
    yield { name: `${number}: ${shape}`, bytes: Buffer.from(await make(draw)) };
  }
}

export const hostileShapes = (): number => Object.keys(workbooks).length + Object.keys(hostileTexts).length;

const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
const row = (text: string): string => `<row>${cell(text)}</row>`;
const table = row('Email') + row('a@x.example') + row('b@x.example');
const sheetStart = '<?xml version="1.0"?><worksheet>';

const inSheet = (xml: string): Promise<Buffer> => makeWorkbook({ sheets: [{ name: 'A', xml }] });
const asSheet = (xml: string): Promise<Buffer> => inSheet(`${sheetStart}${xml}</worksheet>`);

/** Makes a workbook in which only this part is bad. */
function withPart(path: string, content: string | Buffer): Promise<Buffer> {
  return makeWorkbook({ sheets: [{ name: 'A', xml: table }], more: { [path]: content } });
}

type Make = (draw: Draw) => Promise<Buffer>;

const partPaths: [string, ...string[]] = [
  'xl/sharedStrings.xml',
  'xl/styles.xml',
  'xl/workbook.xml',
  'xl/_rels/workbook.xml.rels',
];

const nested: Record<string, Make> = {
  'elements that are never closed': ({ size }) => inSheet(`${sheetStart}${'<a>'.repeat(size())}`),
  'elements in each other': ({ size }) => {
    const depth = size();
    return asSheet('<a>'.repeat(depth) + '</a>'.repeat(depth));
  },
  'elements in each other in another part': ({ size, oneOf }) =>
    withPart(oneOf(partPaths), `<r>${'<x:b y="1">'.repeat(size())}`),
  'rows in rows': ({ size }) => asSheet(`<sheetData>${'<row><c><v>'.repeat(size())}`),
  'elements beside each other': ({ size }) => asSheet('<a/>'.repeat(size())),
};

const wide: Record<string, Make> = {
  attributes: ({ size }) =>
    asSheet(`<a ${Array.from({ length: size() }, (_, n) => `b${n}="1"`).join(' ')}/>`),
  'a long name': ({ size }) => asSheet(`<${'n'.repeat(size())}/>`),
  'a long name of an attribute': ({ size }) => asSheet(`<a ${'n'.repeat(size())}="1"/>`),
  'a long attribute': ({ size }) => asSheet(`<sheetData><row r="${'1'.repeat(size())}"/></sheetData>`),
  'a long text': ({ size }) => inSheet(table + row('t'.repeat(size()))),
  'a long comment': ({ size }) => asSheet(`<!--${'c'.repeat(size())}--><sheetData>${table}</sheetData>`),
  'a long section': ({ size }) =>
    asSheet(`<sheetData><row><c t="str"><v><![CDATA[${'c'.repeat(size())}]]></v></c></row></sheetData>`),
  'instructions and comments': ({ size }) => asSheet('<?a b?><!---->'.repeat(size())),
  'character references': ({ size }) => inSheet(table + row('&#x41;'.repeat(size()))),
  'a row of many cells': ({ size }) => inSheet(`${table}<row>${cell('x').repeat(size())}</row>`),
  'many rows of one far cell': ({ size }) =>
    inSheet(table + '<row><c r="ALL1" t="str"><v>x</v></c></row>'.repeat(size())),
};

const far: Record<string, Make> = {
  'a far row': ({ oneOf }) =>
    inSheet(`${table}<row r="${oneOf(['1048576', '1048577', '4294967296', '1e9', '-5', '0', 'x', ''])}"/>`),
  'a stray cell in a far row': ({ below }) =>
    inSheet(`${table}<row r="${below(1_048_576)}"><c r="A9" t="str"><v>stray</v></c></row>`),
  'gaps of a thousand rows': ({ size }) =>
    inSheet(
      table +
        Array.from(
          { length: Math.min(size(), 1_000) },
          (_, n) => `<row r="${1_000 * (n + 1)}"><c t="str"><v>x</v></c></row>`,
        ).join(''),
    ),
  'a far column': ({ oneOf }) =>
    inSheet(`${table}<row><c r="${oneOf(['XFD1', 'ZZZ1', 'AAAA1', '1', ''])}" t="str"><v>x</v></c></row>`),
};

const references: Record<string, Make> = {
  'one long text a thousand times': ({ size }) =>
    makeWorkbook({
      sheets: [{ name: 'A', xml: table + '<row><c t="s"><v>0</v></c></row>'.repeat(size()) }],
      sharedStrings: ['l'.repeat(32_767)],
    }),
  'texts out of order': ({ size, below }) => {
    const texts = Math.min(size(), 100_000);
    // Long ones fill more blocks than are kept unpacked.
    const note = 'n'.repeat(below(200));
    const cells = Array.from({ length: texts }, () => `<row><c t="s"><v>${below(texts)}</v></c></row>`);
    return makeWorkbook({
      sheets: [{ name: 'A', xml: table + cells.join('') }],
      sharedStrings: Array.from({ length: texts }, (_, n) => `${n}${note}@x.example`),
    });
  },
  'texts that are not there': ({ oneOf }) =>
    inSheet(
      `${table}<row><c t="s"><v>${oneOf(['-1', '1e300', '99999999', 'NaN', '0.5', '0x10'])}</v></c></row>`,
    ),
  'empty texts': ({ size }) => withPart('xl/sharedStrings.xml', `<sst>${'<si/>'.repeat(size())}</sst>`),
  'a relation to itself': () =>
    withPart(
      'xl/_rels/workbook.xml.rels',
      '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="workbook.xml"/></Relationships>',
    ),
  'many relations': ({ size }) =>
    withPart(
      'xl/_rels/workbook.xml.rels',
      `<Relationships>${`<Relationship Id="r" Type="t" Target="${'../'.repeat(50)}x"/>`.repeat(size())}</Relationships>`,
    ),
  'many sheets': ({ size }) =>
    withPart(
      'xl/workbook.xml',
      `<workbook><sheets>${'<sheet name="A" id="rId1"/>'.repeat(size())}</sheets></workbook>`,
    ),
  'many styles': ({ size }) =>
    withPart(
      'xl/styles.xml',
      `<styleSheet>${Array.from({ length: size() }, (_, n) => `<numFmt numFmtId="${n}" formatCode="${'y"'.replace('"', '&quot;').repeat(20)}"/>`).join('')}<cellXfs>${'<xf numFmtId="7"/>'.repeat(1_000)}</cellXfs></styleSheet>`,
    ),
};

const packed: Record<string, Make> = {
  'far more than its size': ({ size, oneOf }) => asSheet(oneOf([' ', '\n', '<!-- -->']).repeat(size() * 8)),
  'many parts': ({ size }) =>
    makeWorkbook({
      sheets: [{ name: 'A', xml: table }],
      more: Object.fromEntries(Array.from({ length: Math.min(size(), 11_000) }, (_, n) => [`p/${n}`, ''])),
    }),
  'parts with long names': ({ size }) =>
    makeWorkbook({
      sheets: [{ name: 'A', xml: table }],
      more: Object.fromEntries(
        Array.from({ length: Math.min(size(), 300) }, (_, n) => [`${'n'.repeat(60_000)}${n}`, '']),
      ),
    }),
  'an archive cut short': async ({ below }) => {
    const whole = await inSheet(table);
    return whole.subarray(0, 4 + below(whole.length - 4));
  },
  'an archive with other bytes': async ({ below }) => {
    const damaged = await inSheet(table.repeat(50));
    for (let n = 0; n < 8; n += 1) damaged[4 + below(damaged.length - 4)] = below(256);
    return damaged;
  },
  'XML in another encoding': ({ oneOf }) => {
    const xml = `${sheetStart}<sheetData>${table}</sheetData></worksheet>`;
    const encoded = oneOf([
      Buffer.from(`\ufeff${xml}`, 'utf16le'),
      Buffer.from(xml, 'utf16le'),
      Buffer.from(xml.replace('stray', '\xff'), 'latin1'),
      Buffer.concat([Buffer.from(xml), Buffer.from([0xff, 0xfe, 0x00, 0xc0])]),
    ]);
    return withPart('xl/worksheets/sheet1.xml', encoded);
  },
};

const workbooks: Record<string, Make> = { ...nested, ...wide, ...far, ...references, ...packed };
