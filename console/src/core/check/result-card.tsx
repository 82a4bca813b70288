import type { AnswerNotes, VerificationResult } from '@mailproof/client';
import { useConsole } from '../../app/use-console.ts';
import { Icon } from '../../parts/elements.tsx';
import { statusWords } from '../../parts/statuses.ts';
import { evidenceSteps, type Exchange } from './evidence-steps.ts';
import { readSignals, type SignalAnswer, signalIcon, verdictWhy } from './verdict-words.ts';

/** The verdict with reason and score; below it the evidence and the signals. */
export function ResultCard({ result }: { result: VerificationResult & AnswerNotes }) {
  const { label, meaning } = statusWords[result.status];
  return (
    <>
      <section class={`card verdict status-${result.status}`} aria-labelledby="verdict-title">
        <div class="verdict-mark">
          <Icon name={result.status} />
        </div>
        <div class="verdict-words">
          <h2 id="verdict-title">
            <span class="verdict-status">{label}</span>{' '}
            {result.explanation === undefined ? null : (
              <span class="verdict-why">{verdictWhy(result.explanation)}</span>
            )}{' '}
            <span class="verdict-email">{result.email}</span>
          </h2>
          <p>{meaning}</p>
          <DidYouMean result={result} />
          <Cost result={result} />
        </div>
        <ScoreScale score={result.overall_score} />
      </section>
      <div class="verdict-grounds">
        <section class="card" aria-labelledby="evidence-title">
          <h2 id="evidence-title">Evidence</h2>
          <EvidenceView result={result} />
        </section>
        <section class="card" aria-labelledby="signals-title">
          <h2 id="signals-title">Signals</h2>
          <ul class="signals">
            {readSignals(result).map((signal) => (
              <li key={signal.name} class={`signal signal-${signal.tone}`}>
                <Icon name={signalIcon(signal)} />
                <span class="signal-name">{signal.name}</span>
                <span class="signal-answer">{signalWords[signal.answer]}</span>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}

const signalWords: Record<SignalAnswer, string> = { yes: 'yes', no: 'no', not_known: 'unknown' };

function Cost({ result: { creditsUsed, requestId } }: { result: AnswerNotes }) {
  const { session } = useConsole();
  const state = session.state.value;
  const isTest = state.kind === 'account' && state.account.key?.mode === 'test';
  const cost = creditsUsed === 1 ? '1 credit charged' : 'No credit charged';
  return (
    <p class="hint">
      {isTest ? 'Test key: answered by the sandbox, free of charge' : cost}
      {requestId === undefined ? null : (
        <>
          {' · request '}
          <code>{requestId}</code>
        </>
      )}
    </p>
  );
}

/** The score on a half circle from 0 to 100, with a text for screen readers. */
function ScoreScale({ score }: { score: number | undefined }) {
  const length = Math.PI * 40;
  const filled = score === undefined ? 0 : (length * score) / 100;
  return (
    <div class="score">
      <svg
        viewBox="0 0 100 56"
        role="img"
        aria-label={score === undefined ? 'No score' : `Score ${score} out of 100`}
      >
        <path class="score-track" d="M10 50a40 40 0 0 1 80 0" />
        {filled === 0 ? null : (
          <path class="score-fill" d="M10 50a40 40 0 0 1 80 0" stroke-dasharray={`${filled} ${length}`} />
        )}
        <text x="50" y="48" text-anchor="middle" aria-hidden="true">
          {score ?? '–'}
        </text>
      </svg>
      <span class="hint" aria-hidden="true">
        {score === undefined ? 'no score' : 'score out of 100'}
      </span>
    </div>
  );
}

type Explained = Parameters<typeof evidenceSteps>[0] & Pick<VerificationResult, 'explanation'>;

/** The evidence as numbered steps; the deciding step is marked in words as well. */
export function EvidenceView({ result }: { result: Explained }) {
  const steps = evidenceSteps(result);
  if (steps.length === 0) return <p>The service sent no explanation with this result.</p>;
  return (
    <ol class="evidence">
      {steps.map(({ kind, title, lines, exchanges, decides }) => (
        <li key={kind} class={decides ? 'evidence-step evidence-decides' : 'evidence-step'}>
          <h3>
            {title}
            {decides ? <span class="tag">deciding step</span> : null}
          </h3>
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {exchanges.length === 0 ? null : <Exchanges exchanges={exchanges} />}
        </li>
      ))}
    </ol>
  );
}

function Exchanges({ exchanges }: { exchanges: Exchange[] }) {
  return (
    <dl class="exchanges">
      {exchanges.map(({ asked, reply }, i) => (
        <div key={i}>
          <dt>{asked}</dt>
          <dd>
            <code>{reply}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

type DidYouMeanProps = { result: Pick<VerificationResult, 'username' | 'explanation'> };

/** A suggestion for a mistyped domain, which helps more than the verdict on it. */
export function DidYouMean({ result: { explanation, username } }: DidYouMeanProps) {
  const meant = explanation?.did_you_mean;
  if (meant === undefined) return null;
  return (
    <p class="verdict-hint">
      Did you mean <strong>{username === undefined ? meant : `${username}@${meant}`}</strong>?
    </p>
  );
}
