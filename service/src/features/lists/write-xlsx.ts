import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/**
 * Rows as a workbook with one sheet (ECMA-376), written as they come and packed on the way. Cells are text, except
 * numbers that a spreadsheet would show the same; text in a sheet is never taken for a formula.
 */
export const sheetRowsMax = 1_048_576;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const namespaces = {
  types: 'http://schemas.openxmlformats.org/package/2006/content-types',
  relations: 'http://schemas.openxmlformats.org/package/2006/relationships',
  office: 'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  sheet: 'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
};
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const fixedParts: [string, string][] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="${namespaces.types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Default Extension="xml" ContentType="application/xml"/>` +
      `<Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/>` +
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${contentType}.worksheet+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${namespaces.relations}"><Relationship Id="rId1" Type="${namespaces.office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `<workbook xmlns="${namespaces.sheet}" xmlns:r="${namespaces.office}"><sheets><sheet name="Checked" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${namespaces.relations}"><Relationship Id="rId1" Type="${namespaces.office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  ],
];

/** The bytes of the workbook. `rows` are batches of cells, theirs and ours. */
export function writeXlsx(rows: AsyncIterable<string[][]>): Readable {
  const zip = new ZipFile();
  for (const [name, xml] of fixedParts) zip.addBuffer(Buffer.from(declaration + xml), name);
  const sheet = Readable.from(sheetXml(rows), { objectMode: false });
  const output = Readable.from(zip.outputStream as AsyncIterable<Uint8Array>, { objectMode: false });
  sheet.once('error', (error) => output.destroy(error));
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml');
  zip.end();
  return output;
}

async function* sheetXml(rows: AsyncIterable<string[][]>): AsyncGenerator<string> {
  yield `${declaration}<worksheet xmlns="${namespaces.sheet}"><sheetData>`;
  for await (const batch of rows)
    yield batch.map((cells) => `<row>${cells.map(cellXml).join('')}</row>`).join('');
  yield '</sheetData></worksheet>';
}

function cellXml(text: string): string {
  if (text === '') return '<c/>';
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/.test(text)) return `<c><v>${text}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;
}

function escapeXml(text: string): string {
  return (
    text
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      // eslint-disable-next-line no-control-regex -- XML 1.0 has no place for these
      .replace(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, '')
  );
}
