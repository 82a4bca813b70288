import type { VerificationResult } from '@mailproof/client';
import { tellStory, type Exchange } from './tell-story.ts';

type Told = Parameters<typeof tellStory>[0] & Pick<VerificationResult, 'explanation'>;

/** The story as numbered steps; the one that decided is marked in words as well. */
export function StoryView({ result }: { result: Told }) {
  const steps = tellStory(result);
  if (steps.length === 0) return <p>The service gave no explanation with this answer.</p>;
  return (
    <ol class="story">
      {steps.map(({ kind, title, lines, talk, decides }) => (
        <li key={kind} class={decides ? 'story-step story-decides' : 'story-step'}>
          <h3>
            {title}
            {decides ? <span class="tag">decided here</span> : null}
          </h3>
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {talk.length === 0 ? null : <Talk talk={talk} />}
        </li>
      ))}
    </ol>
  );
}

function Talk({ talk }: { talk: Exchange[] }) {
  return (
    <dl class="talk">
      {talk.map(({ asked, reply }, i) => (
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
