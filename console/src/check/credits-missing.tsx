import { counted } from '../parts/format.ts';
import { useConsole } from '../app/use-console.ts';

/** What is missing, in numbers, and how it is got. */
export function CreditsMissing({ needed }: { needed: number }) {
  const { session } = useConsole();
  const state = session.state.value;
  if (state.kind !== 'account') return null;
  const { available, reserved } = state.account.credits;
  const missing = Math.max(needed - available, 0);
  return (
    <>
      <p>
        At most {counted(needed, 'credit is', 'credits are')} needed; {counted(available, 'is', 'are')}{' '}
        available
        {reserved > 0 ? ` and ${counted(reserved, 'is', 'are')} reserved by what still runs` : ''}.
        {missing > 0 ? ` ${counted(missing, 'credit is', 'credits are')} missing.` : ''}
      </p>
      <p>
        Ask the operator for {counted(Math.max(missing, 1), 'credit')}: they are granted on the account’s
        page, or with{' '}
        <code>
          ./mailproof credits grant {state.account.account_id} {Math.max(missing, 1)}
        </code>
        .
      </p>
    </>
  );
}
