import type { ResultRow } from '../parts/arrange-rows.ts';
import type { OpenList } from './open-list.ts';

/** The rows of a list with what is known of them so far; a duplicate has the answer of its address. */
export function rowsOf({ survey, answers }: Pick<OpenList, 'survey' | 'answers'>): ResultRow[] {
  return survey.cells.map((address, i) => {
    const place = survey.places.at(i);
    const row = { row: i + 1, address };
    switch (place.kind) {
      case 'blank':
        return { ...row, status: '', score: null, provider: '', reason: 'blank' };
      case 'rejected':
        return { ...row, status: 'rejected', score: null, provider: '', reason: place.reason };
      case 'address': {
        const answer = answers[place.number];
        if (answer === undefined) return { ...row, status: '', score: null, provider: '', reason: '' };
        const { status, score, reason, mailHost, provider } = answer;
        return { ...row, status, score, provider: mailHost === null ? '' : provider, reason };
      }
    }
  });
}
