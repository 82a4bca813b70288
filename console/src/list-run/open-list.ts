import {
  findLayout,
  ListProblem,
  sampleBytes,
  toByteText,
  type FoundLayout,
  type Layout,
} from '@mailproof/client/lists';
import type { ListAnswer } from './list-answer.ts';
import { surveyList, type Survey } from './survey-list.ts';

/** A file as it was brought, or what was pasted. */
export type ListFile = { name: string; bytes: Uint8Array<ArrayBuffer> };

/** The name of a list that has no file. */
export const pastedName = 'pasted addresses';

/** A list that has been read: how it is written, what it holds, and what is known of its addresses. */
export type OpenList = ListFile & {
  layout: Layout;
  survey: Survey;
  answers: (ListAnswer | undefined)[];
};

type OpenedList =
  | { kind: 'opened'; list: OpenList }
  | { kind: 'column_needed'; file: ListFile; layout: FoundLayout }
  | { kind: 'unreadable'; why: string };

/** What a page can hold; beyond it the command line does the same in constant memory. */
const bytesMax = 50_000_000;

/** Finds how a list is written and reads it; where no column looks like addresses, one has to be picked. */
export async function openList(
  file: ListFile,
  column: number | undefined,
  pause: () => Promise<void>,
): Promise<OpenedList> {
  const { name, bytes } = file;
  if (bytes.length === 0) return { kind: 'unreadable', why: 'The file is empty.' };
  if (bytes.length > bytesMax)
    return {
      kind: 'unreadable',
      why: 'The file is larger than 50 MB. The command line takes lists of any length: ./mailproof check',
    };
  try {
    const text = toByteText(bytes.subarray(0, sampleBytes));
    const layout = findLayout({ text, isWhole: bytes.length <= sampleBytes }, { name });
    const chosen = column ?? layout.column;
    if (chosen === undefined) return { kind: 'column_needed', file, layout };
    const found = { ...layout, column: chosen };
    const survey = await surveyList(bytes, found, pause);
    if (survey.rows === 0) return { kind: 'unreadable', why: 'The list has no rows.' };
    const answers = survey.addresses.map(() => undefined);
    return { kind: 'opened', list: { ...file, layout: found, survey, answers } };
  } catch (error) {
    if (error instanceof ListProblem) return { kind: 'unreadable', why: error.message };
    throw error;
  }
}
