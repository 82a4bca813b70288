import type { ListRecord } from '@mailproof/client';
import { counted } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';

/** Domains that look mistyped, told before anything is spent on them. */
export function DomainSuggestions({ list: { suggestions } }: { list: ListRecord }) {
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
        {suggestions.length === 1 ? 'It differs' : 'Each differs'} from a large email provider by one typing
        slip. We have not contacted anyone yet, so we cannot tell whether{' '}
        {suggestions.length === 1 ? 'the domain exists' : 'these domains exist'}. To correct the addresses,
        change the file and upload it again.
      </p>
    </Notice>
  );
}
