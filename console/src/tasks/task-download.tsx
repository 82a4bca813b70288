import type { BulkResultRecord } from '@mailproof/client';
import { tallyByStatus } from '../lists/tally.ts';
import { RowsForm } from '../parts/rows-form.tsx';
import { saveFile } from '../parts/save-file.ts';
import { writeTaskResults } from './write-task-results.ts';

export function TaskDownload({ results, name }: { results: readonly BulkResultRecord[]; name: string }) {
  const download = (status: string | undefined) => {
    const wanted = results.filter((record) => status === undefined || record.status === status);
    const stem = name.replace(/[^\w.-]+/g, '-').replace(/\.(?:csv|tsv|txt)$/i, '');
    saveFile(`${stem}.${status ?? 'checked'}.csv`, [writeTaskResults(wanted)]);
  };
  return (
    <RowsForm total={results.length} counts={tallyByStatus(results)} main={false} onDownload={download} />
  );
}
