import type { ListRecord } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { useConsole } from '../../app/use-console.ts';
import { ConfirmDialog, Notice } from '../../parts/elements.tsx';
import { counted, duration, grouped } from '../../parts/format.ts';
import { DeleteList, type FollowedList, ListCounts } from './followed-list.tsx';

type SurveyedListProps = { followed: FollowedList; list: ListRecord };

/** The contents of the list and the cost of the check, before the start. */
export function SurveyedList({ followed, list }: SurveyedListProps) {
  const { api, announcer } = useConsole();
  const isAsking = useSignal(false);
  const first = useSignal('');
  const count = countOf(first.value, list);
  const start = async () => {
    isAsking.value = false;
    const wish = count < list.addresses ? { first: count } : {};
    if (await followed.act(() => api.client.lists.start(list.list_id, wish)))
      announcer.say('The check has started');
  };
  return (
    <section class="card" aria-labelledby="survey-title">
      <h2 id="survey-title">File contents</h2>
      <ListCounts list={list} />
      <ColumnSelect followed={followed} list={list} />
      <SplitField followed={followed} list={list} />
      {list.addresses > 1 ? (
        <FirstField most={list.addresses} value={first.value} onInput={(text) => (first.value = text)} />
      ) : null}
      <DomainSuggestions list={list} />
      <ListCost list={list} count={count} />
      <div class="buttons">
        {count === 0 ? null : (
          <button
            type="button"
            class="button button-main"
            aria-disabled={followed.isBusy.value}
            onClick={() => (isAsking.value = true)}
          >
            Check {counted(count, 'address', 'addresses')}
          </button>
        )}
        <DeleteList followed={followed} list={list} />
      </div>
      {isAsking.value ? (
        <SpendDialog
          isFree={list.sandbox}
          count={count}
          onClose={() => (isAsking.value = false)}
          onAgree={() => void start()}
        />
      ) : null}
    </section>
  );
}

/** Returns the wanted number of addresses; all if the field is empty or not a number. */
function countOf(first: string, { addresses }: ListRecord): number {
  const wanted = Number(first);
  return Number.isInteger(wanted) && wanted >= 1 ? Math.min(wanted, addresses) : addresses;
}

function ColumnSelect({ followed, list }: SurveyedListProps) {
  const { api } = useConsole();
  const { columns, column } = list;
  const samples = columns[column]?.samples ?? [];
  const pick = (picked: number) =>
    void followed.act(() => api.client.lists.change(list.list_id, { column: picked }));
  return (
    <div class="field">
      <label for="column">Column with the addresses</label>
      <select
        id="column"
        value={column}
        disabled={followed.isBusy.value || columns.length < 2}
        aria-describedby="column-samples"
        onChange={(event) => pick(Number(event.currentTarget.value))}
      >
        {columns.map(({ index, name }) => (
          <option key={index} value={index}>
            {name === '' ? `Column ${index + 1}` : name}
          </option>
        ))}
      </select>
      <p id="column-samples" class="hint">
        {samples.length === 0 ? (
          'Reading …'
        ) : (
          <>
            Starts with <code>{samples.slice(0, 3).join(', ')}</code>
          </>
        )}
      </p>
    </div>
  );
}

/** Shown only if a cell may hold several addresses: an address read out of a cell counts as repaired. */
function SplitField({ followed, list }: SurveyedListProps) {
  const { api } = useConsole();
  const isChecked = useSignal(list.split);
  const change = async (split: boolean) => {
    isChecked.value = split;
    if (!(await followed.act(() => api.client.lists.change(list.list_id, { split }))))
      isChecked.value = !split;
  };
  if (list.repaired === 0 && !list.split) return null;
  return (
    <label class="inline-field">
      <input
        type="checkbox"
        checked={isChecked.value}
        disabled={followed.isBusy.value}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      Check every address in a cell, not only the first
    </label>
  );
}

type FirstFieldProps = { most: number; value: string; onInput: (text: string) => void };

function FirstField({ most, value, onInput }: FirstFieldProps) {
  return (
    <div class="field">
      <label for="first">Limit to the first … addresses (optional)</label>
      <input
        id="first"
        type="number"
        inputMode="numeric"
        min={1}
        max={most}
        step={1}
        placeholder={`All ${grouped(most)}`}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

type SpendProps = { isFree: boolean; count: number; onClose: () => void; onAgree: () => void };

function SpendDialog({ isFree, count, onClose, onAgree }: SpendProps) {
  return (
    <ConfirmDialog
      title={isFree ? 'Check in the sandbox?' : `Spend up to ${counted(count, 'credit')}?`}
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

/** Domains that look mistyped, shown before they cost anything. */
function DomainSuggestions({ list: { suggestions } }: { list: ListRecord }) {
  if (suggestions.length === 0) return null;
  return (
    <Notice
      tone="warning"
      title={suggestions.length === 1 ? 'A domain may be mistyped' : 'Some domains may be mistyped'}
    >
      <ul class="suggestions">
        {suggestions.map(({ domain, did_you_mean: meant, rows }) => (
          <li key={domain}>
            <strong>{domain}</strong> ({counted(rows, 'row')}): did you mean <strong>{meant}</strong>?
          </li>
        ))}
      </ul>
      <p>
        {suggestions.length === 1 ? 'It differs' : 'Each differs'} from a large email provider by one typo. We
        have not contacted anyone yet, so we cannot tell whether{' '}
        {suggestions.length === 1 ? 'the domain exists' : 'these domains exist'}. To correct the addresses,
        change the file and upload it again.
      </p>
    </Notice>
  );
}

/** The cost of the check, and whether the account can pay it. */
function ListCost({ list, count }: { list: ListRecord; count: number }) {
  const { session } = useConsole();
  const state = session.state.value;
  if (state.kind !== 'account') return null;
  const { credits, plan, frozen } = state.account;
  if (count === 0)
    return (
      <Notice tone="warning" title="Nothing to check">
        <p>No row contains an email address. Is this the right column?</p>
      </Notice>
    );
  if (plan === 'none' || frozen)
    return (
      <Notice tone="problem" title={frozen ? 'The account is on hold' : 'The account has no active plan'}>
        <p>Ask the operator. Until this is resolved, you cannot check addresses.</p>
      </Notice>
    );
  if (list.sandbox)
    return (
      <Notice tone="info" title="This is free">
        <p>The sandbox answers, and no mail server is contacted.</p>
      </Notice>
    );
  if (credits.available < count)
    return (
      <Notice
        tone="warning"
        title={`You need ${counted(count - credits.available, 'more credit', 'more credits')}`}
      >
        <p>
          This needs up to {counted(count, 'credit')}, and you have {grouped(credits.available)}.{' '}
          {credits.available > 0
            ? `Check only the first ${grouped(credits.available)}, or ask the operator for more.`
            : 'Ask the operator for more. The list stays here until then.'}
        </p>
      </Notice>
    );
  return (
    <Notice tone="info" title={`This costs up to ${counted(count, 'credit')}`}>
      <p>
        You have {counted(credits.available, 'credit')}. Only conclusive results are charged, and duplicates
        are charged once.
      </p>
      <ExpectedTime list={list} />
    </Notice>
  );
}

/** The minimum duration: mail servers are asked slowly, so that they do not block us. */
function ExpectedTime({ list: { expected_seconds: seconds } }: { list: ListRecord }) {
  if (seconds === null) return null;
  return <p>The whole list takes at least {duration(seconds)}. Slow mail servers take longer.</p>;
}
