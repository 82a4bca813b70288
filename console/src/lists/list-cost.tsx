import type { ListRecord } from '@mailproof/client';
import { counted, duration, grouped } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { useConsole } from '../app/use-console.ts';

/** What checking so many addresses costs, and whether the account can pay for it. */
export function ListCost({ list, count }: { list: ListRecord; count: number }) {
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

/** How long the whole list takes at least: mail servers are asked slowly, so that they do not block us. */
function ExpectedTime({ list: { expected_seconds: seconds } }: { list: ListRecord }) {
  if (seconds === null) return null;
  return <p>The whole list takes at least {duration(seconds)}. Slow mail servers take longer.</p>;
}
