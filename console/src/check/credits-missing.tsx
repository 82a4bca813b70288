import { counted, grouped } from '../parts/format.ts';
import { useConsole } from '../app/use-console.ts';

/** How many credits are missing, and how to get them. */
export function CreditsMissing({ needed }: { needed: number }) {
  const { session } = useConsole();
  const state = session.state.value;
  if (state.kind !== 'account') return null;
  const { available, reserved } = state.account.credits;
  const missing = Math.max(needed - available, 0);
  return (
    <>
      <p>
        This needs up to {counted(needed, 'credit')}. You have {grouped(available)} available
        {reserved > 0 ? ` and ${grouped(reserved)} reserved for running tasks` : ''}.
        {missing > 0 ? ` ${counted(missing, 'credit is', 'credits are')} missing.` : ''}
      </p>
      <p>
        Ask the operator for {counted(Math.max(missing, 1), 'credit')}. The operator can grant them on the
        account’s page or with{' '}
        <code>
          ./mailproof credits grant {state.account.account_id} {Math.max(missing, 1)}
        </code>
        .
      </p>
    </>
  );
}
