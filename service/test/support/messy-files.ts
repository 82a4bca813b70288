import type { ListProblem } from '../../src/features/lists/reading/list-problem.ts';
import { makeWorkbook, sheetOf } from './make-workbook.ts';

/**
 * Files as people have them, each with what has to be read from it: the addresses in order, `*` behind one that was
 * repaired, `-` for a blank row and `!` for one that holds no address.
 */
export type MessyFile = {
  file: string | Buffer | Promise<Buffer>;
  reads: string;
  column?: string;
  split?: boolean;
};

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = (text: string, mark: number[]): Buffer =>
  Buffer.concat([Buffer.from(mark), Buffer.from(text, 'utf16le')]);
const bigEndian = (text: string, mark: number[] = [0xff, 0xfe]): Buffer => utf16(text, mark).swap16();

const dateStyles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';

export const messyFiles: Record<string, MessyFile> = {
  'one address a line': { file: 'a@x.example\nb@y.example\n', reads: 'a@x.example b@y.example' },
  'no line end at the end': { file: 'a@x.example\nb@y.example', reads: 'a@x.example b@y.example' },
  'line ends of old Macs': { file: 'email\ra@x.example\rb@x.example\r', reads: 'a@x.example b@x.example' },
  'line ends of Windows': { file: 'email\r\na@x.example\r\n', reads: 'a@x.example' },
  'line ends of every kind': {
    file: 'email\r\na@x.example\nb@x.example\rc@x.example',
    reads: 'a@x.example b@x.example c@x.example',
  },
  'blank lines between': { file: 'a@x.example\n\nb@x.example\n', reads: 'a@x.example - b@x.example' },
  commas: { file: 'name,email\nA,a@x.example\n', reads: 'a@x.example' },
  semicolons: { file: 'name;email\nA;a@x.example\n', reads: 'a@x.example' },
  tabs: { file: 'name\temail\nA\ta@x.example\n', reads: 'a@x.example' },
  pipes: { file: 'Team|Mail\nSales|sales@x.example\n', reads: 'sales@x.example' },
  'semicolons with commas inside': {
    file: 'name;email\n"Doe, Jane";a@x.example\nLee, Bo;b@x.example\n',
    reads: 'a@x.example b@x.example',
  },
  'a sep= line': { file: 'sep=;\r\nname;email\r\nA;a@x.example\r\n', reads: 'a@x.example' },
  'a title and an empty line above the heading': {
    file: 'Customers 2026\n\nname,email\nA,a@x.example\nB,b@x.example\n',
    reads: 'a@x.example b@x.example',
  },
  'titles with trailing delimiters': {
    file: 'Customers,,\n,,\nname,email,city\nA,a@x.example,Ulm\n',
    reads: 'a@x.example',
  },
  'no heading': { file: 'A,a@x.example\nB,b@x.example\n', reads: 'a@x.example b@x.example' },
  'a heading in German': { file: 'Name;E-Mail-Adresse\nA;a@x.example\n', reads: 'a@x.example' },
  'two columns of addresses, the heading decides': {
    file: 'work mail,email\nw@x.example,a@x.example\nv@x.example,b@x.example\n',
    reads: 'a@x.example b@x.example',
  },
  'another column by its name': {
    file: 'work mail,email\nw@x.example,a@x.example\n',
    reads: 'w@x.example',
    column: 'Work Mail',
  },
  'quoted cells': { file: '"email","name"\n"a@x.example","A"\n', reads: 'a@x.example' },
  'one quoted column': { file: '"a@x.example"\n"b@x.example"\n', reads: 'a@x.example b@x.example' },
  'line breaks inside quotes': {
    file: 'email,note\na@x.example,"two\nlines"\nb@x.example,"a ""word"""\n',
    reads: 'a@x.example b@x.example',
  },
  'rows of different widths': {
    file: 'email,name\na@x.example\nb@x.example,B,more,still more\n',
    reads: 'a@x.example b@x.example',
  },
  'UTF-8 with a mark': { file: '\ufeffemail\na@x.example\n', reads: 'a@x.example' },
  'UTF-16 of Excel': { file: utf16('name\temail\nÄ\ta@x.example\n', [0xff, 0xfe]), reads: 'a@x.example' },
  'UTF-16, big end first': { file: bigEndian('name\temail\nA\ta@x.example\n'), reads: 'a@x.example' },
  'UTF-16 without a mark': { file: utf16('name\temail\nA\ta@x.example\n', []), reads: 'a@x.example' },
  'Windows-1252': {
    file: latin1('name,email\nJ\xf6rg,a@x.example\nRen\xe9,b@x.example\n'),
    reads: 'a@x.example b@x.example',
  },
  'a line of addresses with commas': {
    file: 'a@x.example, b@x.example, c@x.example',
    reads: 'a@x.example b@x.example c@x.example',
  },
  'a line of addresses with semicolons': {
    file: 'a@x.example; b@x.example;c@x.example;',
    reads: 'a@x.example b@x.example c@x.example',
  },
  'copied from a mail program': {
    file: '"Doe, Jane" <a@x.example>, Bo <b@x.example>',
    reads: 'a@x.example* b@x.example*',
  },
  'names before addresses': {
    file: 'email\nJane Doe <a@x.example>\n<b@x.example>\n',
    reads: 'a@x.example* b@x.example*',
  },
  'mailto links': {
    file: 'email\nmailto:a@x.example\nMAILTO:b@x.example?subject=Hi\nmailto:c%2Bd@x.example\n',
    reads: 'a@x.example* b@x.example* c+d@x.example*',
  },
  'quotes around addresses': {
    file: "email\n'a@x.example'\n“b@x.example”\n",
    reads: 'a@x.example* b@x.example*',
  },
  'punctuation behind addresses': {
    file: 'email\na@x.example.\nb@x.example,\nc@x.example;\nd@x.example>\n',
    reads: 'a@x.example* b@x.example* c@x.example* d@x.example*',
  },
  'invisible characters': {
    file: 'email\n\u200ba@x.example\nb@x.example\u00a0\n\ufeffc@x.example\u2060\n',
    reads: 'a@x.example* b@x.example c@x.example*',
  },
  'a full-width at sign': { file: 'email\na＠x.example\nb@x.example\n', reads: 'a@x.example* b@x.example' },
  'several addresses in a cell': {
    file: 'name,email\nA,a@x.example; b@x.example\nB,c@x.example / d@x.example\n',
    reads: 'a@x.example* c@x.example*',
  },
  'several addresses in a cell, split': {
    file: 'name,email\nA,a@x.example; b@x.example\nB,c@x.example\n',
    reads: 'a@x.example* b@x.example* c@x.example',
    split: true,
  },
  'cells that hold no address': {
    file: 'email,name\nnobody,A\na@x.example,B\nb@,C\nc@x.example,D\nd@x.example,E\n',
    reads: '! a@x.example ! c@x.example d@x.example',
  },
  'a heading that is no address and a column headed as one': {
    file: 'id,email\n1,none\n2,a@x.example\n3,none\n',
    reads: '! a@x.example !',
  },
  'a quote that is never closed': {
    file: 'email,name\na@x.example,"A\nb@x.example,B\n',
    reads: 'a@x.example* b@x.example*',
  },
  'a workbook': {
    file: makeWorkbook({
      sheets: [
        {
          name: 'A',
          xml: sheetOf([
            ['Name', 'Email'],
            ['A', 'a@x.example'],
            ['B', 'Bo <b@x.example>'],
          ]),
        },
      ],
    }),
    reads: 'a@x.example b@x.example*',
  },
  'a workbook with shared strings and gaps': {
    file: makeWorkbook({
      sheets: [
        {
          name: 'A',
          xml: '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="4"><c r="C4" t="s"><v>2</v></c></row>',
        },
      ],
      sharedStrings: ['Name', 'Email', 'a@x.example'],
    }),
    reads: '- - a@x.example',
  },
  'a workbook whose second sheet has the addresses': {
    file: makeWorkbook({
      sheets: [
        { name: 'Notes', xml: sheetOf([['read me'], ['nothing here']]) },
        { name: 'List', xml: sheetOf([['Email'], ['a@x.example']]) },
      ],
    }),
    reads: 'a@x.example',
  },
  'a workbook with dates': {
    file: makeWorkbook({
      stylesXml: dateStyles,
      sheets: [
        {
          name: 'A',
          xml: '<row><c t="inlineStr"><is><t>Email</t></is></c><c t="inlineStr"><is><t>Since</t></is></c></row><row><c t="inlineStr"><is><t>a@x.example</t></is></c><c s="1"><v>45292</v></c></row>',
        },
      ],
    }),
    reads: 'a@x.example',
  },
};

type RefusedFile = {
  file: string | Buffer | Promise<Buffer>;
  kind: ListProblem['kind'];
  says: RegExp;
};

const bomb = Buffer.alloc(40_000_000, ' ');
const billionLaughs =
  '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><worksheet><sheetData><row><c t="inlineStr"><is><t>&b;</t></is></c></row></sheetData></worksheet>';

export const refusedFiles: Record<string, RefusedFile> = {
  nothing: { file: '', kind: 'invalid_list', says: /empty/ },
  'no addresses': {
    file: 'name,city\nA,Ulm\n',
    kind: 'invalid_list',
    says: /no email addresses.*name \(such as “A”\)/,
  },
  'an old workbook': {
    file: Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]),
    kind: 'unsupported_file',
    says: /\.xls.*save it as \.xlsx or CSV/,
  },
  'an OpenDocument sheet': {
    file: makeOpenDocument(),
    kind: 'unsupported_file',
    says: /\.ods.*save it as \.xlsx or CSV/,
  },
  'a PDF': { file: '%PDF-1.7 …', kind: 'unsupported_file', says: /PDF/ },
  bytes: { file: Buffer.from([1, 0, 2, 0, 0, 0, 3, 9]), kind: 'unsupported_file', says: /not text/ },
  'a broken archive': {
    file: Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(200, 7)]),
    kind: 'invalid_list',
    says: /damaged/,
  },
  'a zip bomb': {
    file: makeWorkbook({
      sheets: [
        {
          name: 'A',
          xml: `<?xml version="1.0"?><worksheet><sheetData>${bomb.toString()}</sheetData></worksheet>`,
        },
      ],
    }),
    kind: 'invalid_list',
    says: /unpacks to far more/,
  },
  'entities of entities': {
    file: makeWorkbook({ sheets: [{ name: 'A', xml: billionLaughs }] }),
    kind: 'invalid_list',
    says: /document type/,
  },
  'an archive that is no workbook': {
    file: makeWorkbook({ sheets: [] }),
    kind: 'unsupported_file',
    says: /not an Excel workbook/,
  },
};

function makeOpenDocument(): Buffer {
  return Buffer.from(
    'PK\x03\x04\x14\x00\x00\x00\x00\x00mimetypeapplication/vnd.oasis.opendocument.spreadsheet',
  );
}

type Counts = Record<'rows' | 'addresses' | 'duplicates' | 'blank' | 'rejected' | 'repaired', number>;

/** What is counted of a messy file, whoever reads it. */
export function countsOf({ reads }: Pick<MessyFile, 'reads'>): Counts {
  const rows = reads.split(' ');
  const addresses = rows.filter((row) => row !== '-' && row !== '!').map((row) => row.replace(/\*$/, ''));
  const distinct = new Set(addresses.map((address) => address.toLowerCase())).size;
  const count = (matches: (row: string) => boolean): number => rows.filter(matches).length;
  return {
    rows: rows.length,
    addresses: distinct,
    duplicates: addresses.length - distinct,
    blank: count((row) => row === '-'),
    rejected: count((row) => row === '!'),
    repaired: count((row) => row.endsWith('*')),
  };
}
