import type { BulkResultRecord } from './types/verification-types.ts';
import { contractLimits } from './contract.ts';

/** The answer for one address of the list; `index` is its place in it, from 0. */
export type ManyAnswer =
  | { kind: 'verified'; index: number; email: string; result: BulkResultRecord }
  | { kind: 'rejected'; index: number; email: string; reason: RejectionReason };

/** Nothing but white space; over 254 characters; no address in the eyes of the service. None is charged. */
export type RejectionReason = 'blank' | 'too_long' | 'not_an_address';

/** An address that goes into a task. */
export type Entry = { index: number; email: string };
/** What the list gave for the next task, and what it gave on the way that is no address. */
export type Batch = { entries: Entry[]; rejected: ManyAnswer[] };
/** What cannot be an address is answered here, so that it takes no place in a task and no room in a body. */
export async function* inBatches(
  emails: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<Batch, void, undefined> {
  let batch: Batch = { entries: [], rejected: [] };
  let index = 0;
  for await (const email of emails) {
    const reason = rejectionOf(email.trim());
    if (reason === undefined) batch.entries.push({ index, email });
    else batch.rejected.push({ kind: 'rejected', index, email, reason });
    index += 1;
    const { entries, rejected } = batch;
    if (Math.max(entries.length, rejected.length) < contractLimits.bulkEmails) continue;
    if (entries.length === contractLimits.bulkEmails) {
      yield batch;
      batch = { entries: [], rejected: [] };
    } else {
      // The addresses stay until there are enough for a task: its content must not hang on what was rejected when.
      yield { entries: [], rejected };
      batch = { entries, rejected: [] };
    }
  }
  if (batch.entries.length + batch.rejected.length > 0) yield batch;
}

function rejectionOf(email: string): RejectionReason | undefined {
  if (email === '') return 'blank';
  const { emailCharacters } = contractLimits;
  // Code points are only counted where there are enough UTF-16 units for it to matter.
  return email.length > emailCharacters && Array.from(email).length > emailCharacters
    ? 'too_long'
    : undefined;
}
