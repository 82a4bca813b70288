import type { VerificationResult } from '@mailproof/client';
import { evidenceSteps, type Exchange } from './evidence-steps.ts';

type Explained = Parameters<typeof evidenceSteps>[0] & Pick<VerificationResult, 'explanation'>;

/** The evidence as numbered steps; the one that decided is marked in words as well. */
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
