import type { ComponentChildren } from 'preact';
import { grouped } from './format.ts';

/** Names with their figures, or with something in plain text. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          {typeof value === 'number' ? <dd>{grouped(value)}</dd> : <dd class="fact-plain">{value}</dd>}
        </div>
      ))}
    </dl>
  );
}
