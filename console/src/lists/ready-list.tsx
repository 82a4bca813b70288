import { useSignal } from '@preact/signals';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { counted, grouped } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { useConsole } from '../app/use-console.ts';
import { ColumnSelect } from './column-picker.tsx';
import type { OpenList } from '../list-run/open-list.ts';

/** What the list contains and what checking it costs, before anything is sent. */
export function ReadyList({ list }: { list: OpenList }) {
  const { lists } = useConsole();
  const isAsking = useSignal(false);
  const { layout, survey } = list;
  const count = survey.addresses.length;
  return (
    <section class="card" aria-labelledby="ready-title">
      <h2 id="ready-title">{list.name}</h2>
      <Counts list={list} />
      {layout.columns.length > 1 ? (
        <ColumnSelect
          columns={layout.columns}
          value={layout.column}
          onPick={(column) => void lists.open({ name: list.name, bytes: list.bytes }, column)}
        />
      ) : null}
      <Preview list={list} />
      <Cost count={count} />
      <div class="buttons">
        {count === 0 ? null : (
          <button type="button" class="button button-main" onClick={() => (isAsking.value = true)}>
            Check {counted(count, 'address', 'addresses')}
          </button>
        )}
        <button type="button" class="button" onClick={() => void lists.clear()}>
          Choose another list
        </button>
      </div>
      {isAsking.value ? (
        <SpendDialog count={count} onClose={() => (isAsking.value = false)} onAgree={() => lists.start()} />
      ) : null}
    </section>
  );
}

export function Counts({ list: { survey, answers } }: { list: OpenList }) {
  // Which addresses the service rejects is known once it was asked.
  const refused = answers.filter((answer) => answer?.status === 'rejected').length;
  const facts = [
    ['Rows', survey.rows],
    ['Addresses', survey.addresses.length - refused],
    ['Duplicates', survey.duplicates],
    ['Blank', survey.blank],
    ['Not an address', survey.rejected + refused],
  ] as const;
  return (
    <dl class="facts">
      {facts.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{grouped(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The first few, so that a wrong column is seen at once. */
function Preview({ list: { survey } }: { list: OpenList }) {
  return (
    <p class="hint">
      Starts with <code>{survey.addresses.slice(0, 3).join(', ')}</code>
    </p>
  );
}

function Cost({ count }: { count: number }) {
  const { session } = useConsole();
  const state = session.state.value;
  if (state.kind !== 'account') return null;
  const { credits, key, plan, frozen } = state.account;
  if (count === 0)
    return (
      <Notice tone="warning" title="Nothing to check">
        <p>No row contains an email address. Is this the right column?</p>
      </Notice>
    );
  if (key.mode === 'test')
    return (
      <Notice tone="info" title="This is free">
        <p>You are signed in with a test key. The sandbox answers, and no mail server is contacted.</p>
      </Notice>
    );
  if (plan === 'none' || frozen)
    return (
      <Notice tone="problem" title={frozen ? 'The account is on hold' : 'The account has no active plan'}>
        <p>Ask the operator. Until this is resolved, you cannot check addresses.</p>
      </Notice>
    );
  if (credits.available < count)
    return (
      <Notice tone="warning" title={`${counted(count - credits.available, 'credit')} may be missing`}>
        <p>
          This costs up to {counted(count, 'credit')}, and you have {grouped(credits.available)}. The check
          pauses when they run out. You can resume it when the operator has granted more.
        </p>
      </Notice>
    );
  return (
    <Notice tone="info" title={`This costs up to ${counted(count, 'credit')}`}>
      <p>
        You have {counted(credits.available, 'credit')}. Only conclusive results are charged, and duplicates
        are charged once.
      </p>
    </Notice>
  );
}

type SpendProps = { count: number; onClose: () => void; onAgree: () => void };

function SpendDialog({ count, onClose, onAgree }: SpendProps) {
  const { session } = useConsole();
  const state = session.state.value;
  const isFree = state.kind === 'account' && state.account.key.mode === 'test';
  return (
    <ConfirmDialog
      title={isFree ? 'Check with the test key?' : `Spend up to ${counted(count, 'credit')}?`}
      confirm={isFree ? 'Check for free (sandbox)' : 'Spend and check'}
      onConfirm={onAgree}
      onClose={onClose}
    >
      <p>
        {counted(count, 'address', 'addresses')} will be checked.{' '}
        {isFree ? 'The sandbox answers.' : 'Unknown results and rejected rows are not charged.'}
      </p>
    </ConfirmDialog>
  );
}
