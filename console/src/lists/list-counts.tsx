import type { ListRecord } from '@mailproof/client';
import { Facts } from '../parts/facts.tsx';

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
  return <Facts facts={facts} />;
}
