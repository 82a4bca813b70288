import type { LedgerEntry } from '@mailproof/client';
import { pathTo } from '../../app/base-path.ts';
import type { Pages } from '../../app/loading.ts';
import { PagesEnd } from '../../app/page.tsx';
import { Notice, TableHead, Time } from '../../parts/elements.tsx';
import { grouped } from '../../parts/format.ts';
import { changeOf, checkStatement } from './check-statement.ts';

const kinds: Record<LedgerEntry['kind'], string> = {
  grant: 'Granted',
  reserve: 'Reserved',
  charge: 'Charged',
  release: 'Returned',
};

/** The ledger as a statement with a running balance, which is checked here again. */
export function LedgerCard({ pages, canOpen }: { pages: Pages<LedgerEntry>; canOpen: boolean }) {
  const entries = pages.items.value;
  const wrong = checkStatement(entries);
  return (
    <section class="card" aria-labelledby="statement-title">
      <div class="card-head">
        <h2 id="statement-title">Statement</h2>
        {entries.length > 0 && wrong.length === 0 ? <span class="hint">Running balance</span> : null}
      </div>
      {wrong.length === 0 ? null : (
        <Notice tone="problem" title="The statement does not add up">
          <p>
            {wrong.length === 1 ? 'Entry' : 'Entries'} {wrong.join(', ')} did not add up. Tell the operator.
          </p>
        </Notice>
      )}
      {entries.length === 0 ? null : <Entries entries={entries} canOpen={canOpen} />}
      <PagesEnd pages={pages} nothing="No credits have been granted or spent yet." />
    </section>
  );
}

function Entries({ entries, canOpen }: { entries: readonly LedgerEntry[]; canOpen: boolean }) {
  return (
    <table>
      <caption class="visually-hidden">Ledger entries, newest first</caption>
      <TableHead
        columns={[
          ['No.', 'number wide-only'],
          'Time',
          'Entry',
          ['Credits', 'number'],
          ['Available', 'number'],
          ['Reserved', 'number wide-only'],
          ['Spent', 'number wide-only'],
        ]}
      />
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.number}>
            <td class="number wide-only">{grouped(entry.number)}</td>
            <td>
              <Time at={entry.at} />
            </td>
            <td>
              {kinds[entry.kind]} <Origin entry={entry} canOpen={canOpen} />
            </td>
            <td class="number">{signed(entry)}</td>
            <td class="number">{grouped(entry.available)}</td>
            <td class="number wide-only">{grouped(entry.reserved)}</td>
            <td class="number wide-only">{grouped(entry.spent)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Origin({
  entry: { task_id: taskId, request_id: requestId },
  canOpen,
}: {
  entry: LedgerEntry;
  canOpen: boolean;
}) {
  if (taskId !== undefined)
    return canOpen ? (
      <a href={pathTo(`/tasks/${taskId}`)}>for a task</a>
    ) : (
      <span class="hint">for a task</span>
    );
  return requestId === undefined ? null : (
    <span class="hint wide-only">
      request <code>{requestId}</code>
    </span>
  );
}

/** Returns the change of the available credits. A charge takes reserved credits, so it has no sign. */
function signed(entry: LedgerEntry): string {
  const change = changeOf(entry);
  if (change === 0) return grouped(entry.credits);
  return change > 0 ? `+${grouped(change)}` : `−${grouped(-change)}`;
}
