import { useSignal } from '@preact/signals';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { counted, grouped } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { useConsole } from '../app/use-console.ts';
import { ColumnSelect } from './column-picker.tsx';
import type { OpenList } from '../list-run/open-list.ts';

/** What the list holds and what it will cost, before anything is sent. */
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
          Another list
        </button>
      </div>
      {isAsking.value ? (
        <SpendDialog count={count} onClose={() => (isAsking.value = false)} onAgree={() => lists.start()} />
      ) : null}
    </section>
  );
}

export function Counts({ list: { survey, answers } }: { list: OpenList }) {
  // What the service does not take for an address is known once it was asked.
  const refused = answers.filter((answer) => answer?.status === 'rejected').length;
  const facts = [
    ['Rows', survey.rows],
    ['Addresses', survey.addresses.length - refused],
    ['Duplicates', survey.duplicates],
    ['Blank', survey.blank],
    ['No address', survey.rejected + refused],
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
      Begins with <code>{survey.addresses.slice(0, 3).join(', ')}</code>
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
      <Notice tone="warning" title="There is nothing to check">
        <p>No row holds an address. Is it the right column?</p>
      </Notice>
    );
  if (key.mode === 'test')
    return (
      <Notice tone="info" title="This costs nothing">
        <p>You are signed in with a test key: the sandbox answers, and no mail host is asked.</p>
      </Notice>
    );
  if (plan === 'none' || frozen)
    return (
      <Notice tone="problem" title={frozen ? 'The account is on hold' : 'The account has no active plan'}>
        <p>Nothing can be checked until the operator has changed that.</p>
      </Notice>
    );
  if (credits.available < count)
    return (
      <Notice tone="warning" title={`${counted(count - credits.available, 'credit')} may be missing`}>
        <p>
          This costs at most {counted(count, 'credit')}; {grouped(credits.available)} are available. The run
          pauses where they end, and goes on when the operator has granted more.
        </p>
      </Notice>
    );
  return (
    <Notice tone="info" title={`This costs at most ${counted(count, 'credit')}`}>
      <p>
        {grouped(credits.available)} are available. Only conclusive answers are charged; duplicates are paid
        for once.
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
      confirm={isFree ? 'Check for nothing' : 'Spend and check'}
      onConfirm={onAgree}
      onClose={onClose}
    >
      <p>
        {counted(count, 'address', 'addresses')} will be checked.{' '}
        {isFree ? 'The sandbox answers.' : 'What comes out as unknown or is rejected is not charged.'}
      </p>
    </ConfirmDialog>
  );
}
