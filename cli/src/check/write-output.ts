import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ourCells, ourHeadings, widenRow, type KeptAnswer } from '@mailproof/client/lists';
import type { AnswerTable } from './answer-table.ts';
import { readList, type ListFile } from './read-list.ts';
import type { Survey } from './survey-list.ts';

type Output = { path: string; list: ListFile; survey: Survey; answers: AnswerTable };

/**
 * The last pass: the list again, row by row as it stands, each with our cells before its line end. It is written beside
 * its place and moved there when it is whole and on the disk, so that whoever finds it finds all of it.
 */
export async function writeOutput({ path, list, survey, answers }: Output): Promise<void> {
  const unfinished = `${path}.mailproof-unfinished`;
  const file = await open(unfinished, 'w');
  try {
    await writeRows(file, { list, survey, answers });
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

async function writeRows(file: FileHandle, { list, survey, answers }: Omit<Output, 'path'>): Promise<void> {
  const { layout } = list;
  const answerOf = (number: number): KeptAnswer => {
    const answer = answers.get(number);
    if (answer === undefined) throw new Error(`there is no answer for address ${number}`);
    return answer;
  };
  let row = layout.hasHeader ? -1 : 0;
  await file.writeFile(Buffer.from(layout.bom, 'latin1'));
  for await (const rows of readList(list, survey.digest)) {
    let text = '';
    for (const read of rows) {
      const cells = row < 0 ? ourHeadings(layout.columns) : ourCells(survey.places.at(row), answerOf);
      text += widenRow(read, cells, { delimiter: layout.delimiter, width: survey.width });
      row += 1;
    }
    await file.writeFile(Buffer.from(text, 'latin1'));
  }
}

/** A name in a folder is on the disk once the folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
