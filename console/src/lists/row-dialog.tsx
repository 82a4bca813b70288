import type { ResultRow } from '../parts/arrange-rows.ts';
import { Dialog } from '../parts/dialog.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { isShownStatus, statusWords } from '../parts/statuses.ts';
import { reasonSentence } from '../parts/reason-sentence.ts';
import type { OpenList } from '../list-run/open-list.ts';

type RowDialogProps = { list: OpenList; row: ResultRow; onClose: () => void };

/** One row of a list, looked at closely. */
export function RowDialog({ list, row, onClose }: RowDialogProps) {
  const place = list.survey.places.at(row.row - 1);
  const answer = place.kind === 'address' ? list.answers[place.number] : undefined;
  const { mailHost, reply } = answer ?? { mailHost: null, reply: null };
  return (
    <Dialog title={row.address} onClose={onClose}>
      <p>
        <StatusBadge status={row.status} />
      </p>
      <p>{isShownStatus(row.status) ? statusWords[row.status].meaning : ''}</p>
      <dl class="exchanges">
        <div>
          <dt>Why</dt>
          <dd>{row.reason === '' ? 'The service gave no reason.' : reasonSentence(row.reason)}</dd>
        </div>
        {mailHost === null ? null : (
          <div>
            <dt>Mail server</dt>
            <dd>
              <code>{mailHost}</code>
            </dd>
          </div>
        )}
        {reply === null ? null : (
          <div>
            <dt>Its reply</dt>
            <dd>
              <code>{reply}</code>
            </dd>
          </div>
        )}
      </dl>
      <div class="buttons">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
