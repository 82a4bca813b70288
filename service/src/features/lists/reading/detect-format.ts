import { ListProblem } from './list-problem.ts';

/** What kind of file a list is, told by its first bytes and not by its name: names lie. */
type FileFormat = 'text' | 'workbook';

const signatures: { bytes: number[]; what: string; remedy: string }[] = [
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
    what: 'an old Excel workbook (.xls)',
    remedy: 'open it and save it as .xlsx or CSV',
  },
  { bytes: [0x25, 0x50, 0x44, 0x46], what: 'a PDF', remedy: 'export the list as CSV or .xlsx' },
  { bytes: [0x1f, 0x8b], what: 'a gzip archive', remedy: 'unpack it and upload the file inside' },
  { bytes: [0x52, 0x61, 0x72, 0x21], what: 'a RAR archive', remedy: 'unpack it and upload the file inside' },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf], what: 'a 7z archive', remedy: 'unpack it and upload the file inside' },
  { bytes: [0x89, 0x50, 0x4e, 0x47], what: 'a picture', remedy: 'export the list as CSV or .xlsx' },
  { bytes: [0xff, 0xd8, 0xff], what: 'a picture', remedy: 'export the list as CSV or .xlsx' },
];

const zipSignature = [0x50, 0x4b, 0x03, 0x04];

export function detectFormat(beginning: Uint8Array): FileFormat {
  const known = signatures.find(({ bytes }) => startsWith(beginning, bytes));
  if (known !== undefined) throw unsupported(known.what, known.remedy);
  if (!startsWith(beginning, zipSignature)) return 'text';
  // OpenDocument puts its type, uncompressed, into the first entry (OpenDocument 1.3, part 2, section 3.3).
  const opening = Buffer.from(beginning.subarray(0, 128)).toString('latin1');
  if (opening.includes('opendocument')) {
    throw unsupported('an OpenDocument spreadsheet (.ods)', 'open it and save it as .xlsx or CSV');
  }
  return 'workbook';
}

function startsWith(bytes: Uint8Array, signature: number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

function unsupported(what: string, remedy: string): ListProblem {
  return new ListProblem('unsupported_file', `This file is ${what}. To check it, ${remedy}.`);
}
