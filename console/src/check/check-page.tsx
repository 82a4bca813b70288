import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { AnswerNotes, VerificationResult } from '@mailproof/client';
import { failureOf, type Failure } from '../api/failure.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Page } from '../app/page.tsx';
import { randomKey } from '../parts/random-key.ts';
import { statusLabel } from '../parts/statuses.ts';
import { useConsole } from '../app/use-console.ts';
import { CreditsMissing } from './credits-missing.tsx';
import { FirstSteps } from './first-steps.tsx';
import { ResultCard } from './result-card.tsx';

type Checked = VerificationResult & AnswerNotes;
type CheckState =
  | { kind: 'idle' }
  | { kind: 'asking'; email: string }
  | { kind: 'answered'; result: Checked }
  | { kind: 'failed'; email: string; failure: Failure };

/** One address: asked, answered, explained. */
export function CheckPage() {
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
      // With a key of its own the request can be repeated where the answer is lost, and is charged once.
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
      <Outcome state={state.value} />
    </Page>
  );
}

function Outcome({ state }: { state: CheckState }) {
  switch (state.kind) {
    case 'idle':
      return (
        <>
          <p class="hint">A conclusive result costs one credit. “Unknown” is free.</p>
          <FirstSteps />
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
        </FailureNotice>
      );
  }
}
