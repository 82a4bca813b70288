import type { ListRecord } from '@mailproof/client';
import { grouped } from '../parts/format.ts';

/** What was found in the file. */
export function ListCounts({ list }: { list: ListRecord }) {
  const facts = [
    ['Rows', list.rows],
    ['Addresses', list.addresses],
    ['Duplicates', list.duplicates],
    ['Blank', list.blank],
    ['Not an address', list.rejected],
    ['Repaired', list.repaired],
  ] as const;
  return (
    <dl class="facts">
      {facts.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{grouped(count)}</dd>
        </div>
      ))}
    </dl>
  );
}
