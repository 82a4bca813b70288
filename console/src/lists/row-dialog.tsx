import type { Explanation, ListRow } from '@mailproof/client';
import { DidYouMean } from '../evidence/did-you-mean.tsx';
import { EvidenceView } from '../evidence/evidence-view.tsx';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { useLoaded } from '../loading/use-loaded.ts';
import { Dialog } from '../parts/dialog.tsx';
import { reasonSentence } from '../parts/reason-sentence.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { isShownStatus, statusWords } from '../parts/statuses.ts';
import { useConsole } from '../app/use-console.ts';

type RowDialogProps = { listId: string; row: ListRow; onClose: () => void };

/** One row of a list with all its evidence. */
export function RowDialog({ listId, row, onClose }: RowDialogProps) {
  const { status } = row;
  return (
    <Dialog title={row.email ?? `Row ${row.row}`} onClose={onClose}>
      {status === null ? null : (
        <p>
          <StatusBadge status={status} />
        </p>
      )}
      {row.repaired === null ? null : (
        <p>
          Read as <code>{row.repaired}</code>.
        </p>
      )}
      {hasExplanation(row) ? <RowEvidence listId={listId} row={row} /> : <RowReason row={row} />}
      <div class="buttons">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** What no mail host was asked about, or not in time, has its reason alone. */
function hasExplanation({ status, reason }: ListRow): boolean {
  return status !== null && status !== 'rejected' && reason !== 'deadline_reached';
}

function RowReason({ row: { status, reason } }: { row: ListRow }) {
  return (
    <>
      {status !== null && isShownStatus(status) ? <p>{statusWords[status].meaning}</p> : null}
      <p>{reason === '' ? 'The service gave no reason.' : reasonSentence(reason)}</p>
    </>
  );
}

function RowEvidence({ listId, row }: { listId: string; row: ListRow }) {
  const { api } = useConsole();
  const explanation = useLoaded(() => api.lists.explanation(listId, row.row));
  if (explanation.failure.value !== undefined) return <FailureNotice failure={explanation.failure.value} />;
  if (explanation.value.value === undefined) return <p class="hint">Loading …</p>;
  const result = explained(row, explanation.value.value);
  return (
    <>
      <DidYouMean result={result} />
      <EvidenceView result={result} />
    </>
  );
}

/** A row and its explanation as the evidence is told of one verification. */
function explained(row: ListRow, explanation: Explanation): Parameters<typeof EvidenceView>[0]['result'] {
  const email = row.repaired ?? row.email ?? '';
  const at = email.lastIndexOf('@');
  const status = row.status ?? '';
  return {
    email,
    status: isShownStatus(status) && status !== 'rejected' ? status : 'unknown',
    ...(at > 0 ? { username: email.slice(0, at), domain: email.slice(at + 1) } : {}),
    // Only a domain that takes mail has a host to ask.
    ...(explanation.mail_host === undefined ? {} : { mx_accepts_mail: true }),
    ...(status === 'role_account' ? { is_role_account: true } : {}),
    explanation,
  };
}
