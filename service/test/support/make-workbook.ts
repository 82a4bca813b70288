import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A workbook as spreadsheet programs write it, from the parts that matter to a test. */
type WorkbookContent = {
  sheets: { name: string; xml: string }[];
  sharedStrings?: string[];
  stylesXml?: string;
  more?: Record<string, string | Buffer>;
};

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006/relationships';

export async function makeWorkbook({
  sheets,
  sharedStrings = [],
  stylesXml,
  more = {},
}: WorkbookContent): Promise<Buffer> {
  const zip = new ZipFile();
  const add = (name: string, content: string | Buffer): void =>
    zip.addBuffer(Buffer.from(content), name, { compress: content.length > 0 });
  const relations = sheets
    .map(
      (_, n) =>
        `<Relationship Id="rId${n + 1}" Type="${office}/worksheet" Target="worksheets/sheet${n + 1}.xml"/>`,
    )
    .concat(
      `<Relationship Id="rIdS" Type="${office}/sharedStrings" Target="sharedStrings.xml"/>`,
      `<Relationship Id="rIdT" Type="${office}/styles" Target="styles.xml"/>`,
    );
  add(
    '_rels/.rels',
    `<Relationships xmlns="${packaged}"><Relationship Id="a" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  );
  add(
    'xl/workbook.xml',
    `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets.map(({ name }, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`).join('')}</sheets></workbook>`,
  );
  add(
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${packaged}">${relations.join('')}</Relationships>`,
  );
  add(
    'xl/sharedStrings.xml',
    `<sst xmlns="${main}">${sharedStrings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
  );
  if (stylesXml !== undefined) add('xl/styles.xml', stylesXml);
  for (const [n, { xml }] of sheets.entries())
    add(
      `xl/worksheets/sheet${n + 1}.xml`,
      xml.startsWith('<?') || xml.startsWith('<!')
        ? xml
        : `<worksheet xmlns="${main}"><sheetData>${xml}</sheetData></worksheet>`,
    );
  for (const [name, content] of Object.entries(more)) add(name, content);
  zip.end();
  return buffer(zip.outputStream);
}

/** Returns rows of text as inline strings. */
export function sheetOf(rows: string[][]): string {
  const cell = (text: string): string =>
    `<c t="inlineStr"><is><t>${text.replaceAll('<', '&lt;')}</t></is></c>`;
  return rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('');
}
