import type { AnswerNotes, VerificationResult } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type Failure, failureOf, randomKey } from '../../api/call.ts';
import { pathTo } from '../../app/base-path.ts';
import type { FeatureCard } from '../../app/features.ts';
import { FailureNotice, Page } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { counted, grouped } from '../../parts/format.ts';
import { statusLabel } from '../../parts/statuses.ts';
import { ResultCard } from './result-card.tsx';

type Checked = VerificationResult & AnswerNotes;
type CheckState =
  | { kind: 'idle' }
  | { kind: 'asking'; email: string }
  | { kind: 'answered'; result: Checked }
  | { kind: 'failed'; email: string; failure: Failure };

/** The page that checks one address and explains the verdict. */
export function CheckPage({ steps }: { steps: readonly FeatureCard[] }) {
  const { api, session, announcer } = useConsole();
  const email = useSignal('');
  const state = useSignal<CheckState>({ kind: 'idle' });
  const input = useRef<HTMLInputElement>(null);

  const check = async () => {
    const asked = email.value.trim();
    if (asked === '' || state.value.kind === 'asking') return;
    state.value = { kind: 'asking', email: asked };
    announcer.say(`Checking ${asked}`);
    try {
      // With its own idempotency key the request can be repeated if the answer is lost, and is charged once.
      const result = await api.client.verify(asked, { explain: true, idempotencyKey: randomKey() });
      state.value = { kind: 'answered', result };
      announcer.say(`${result.email}: ${statusLabel(result.status)}`);
    } catch (error) {
      state.value = { kind: 'failed', email: asked, failure: failureOf(error) };
      input.current?.focus();
    }
    void session.refresh();
  };

  return (
    <Page
      title="Check an address"
      lead="We ask the mail server whether the mailbox exists. No email is sent."
    >
      <form
        class="check-form"
        role="search"
        aria-label="Check an address"
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <label for="email">Email address</label>
        <div class="check-row">
          <input
            id="email"
            ref={input}
            type="text"
            inputMode="email"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            maxLength={320}
            placeholder="ada@example.com"
            value={email.value}
            onInput={(event) => {
              email.value = event.currentTarget.value;
            }}
          />
          <button type="submit" class="button button-main" aria-disabled={state.value.kind === 'asking'}>
            {state.value.kind === 'asking' ? 'Checking …' : 'Check'}
          </button>
        </div>
      </form>
      <Outcome state={state.value} steps={steps} />
    </Page>
  );
}

function Outcome({ state, steps }: { state: CheckState; steps: readonly FeatureCard[] }) {
  switch (state.kind) {
    case 'idle':
      return (
        <>
          <p class="hint">A conclusive result costs one credit. “Unknown” is free.</p>
          <FirstSteps steps={steps} />
        </>
      );
    case 'asking':
      return (
        <div class="card asking" aria-hidden="true">
          <div class="pulse" />
          <p>Asking DNS and the mail server about {state.email}. This can take up to 30 seconds.</p>
        </div>
      );
    case 'answered':
      return <ResultCard result={state.result} />;
    case 'failed':
      return (
        <FailureNotice failure={state.failure}>
          {state.failure.reason === 'insufficient_credits' ? <CreditsMissing needed={1} /> : null}
          {state.failure.reason === 'insufficient_scope' ? <ViewerHint /> : null}
        </FailureNotice>
      );
  }
}

/** The number of missing credits, and the way to get them. */
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

function ViewerHint() {
  const { session } = useConsole();
  const state = session.state.value;
  if (state.kind !== 'account' || state.person?.role !== 'viewer') return null;
  return <p>Viewers can’t check addresses. Ask an owner.</p>;
}

/** The first steps after a sign-in; features add theirs. */
function FirstSteps({ steps }: { steps: readonly FeatureCard[] }) {
  const { features } = useConsole();
  return (
    <section class="card first-steps" aria-labelledby="first-steps-title">
      <h2 id="first-steps-title">First steps</h2>
      <ol>
        <li>
          <strong>Check an address above.</strong> You get a status, a score and every reply of the mail
          server as evidence.
        </li>
        {steps.map(({ feature, Card }) => (features.has(feature) ? <Card key={feature} /> : null))}
        <li>
          <strong>Use the API.</strong> Create a key under <a href={pathTo('/account')}>Account</a> and read
          the <a href={pathTo('/docs')}>API reference</a>.
        </li>
      </ol>
    </section>
  );
}
