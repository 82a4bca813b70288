import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { PostgresLine } from './postgres-line.ts';

type AskParts = { open: () => Promise<PostgresLine>; withinMs: number };

/**
 * Whether the database answers anything: on a line with nothing under way, or else on a new one. A line that waits
 * for a lock or works on something long says nothing about it.
 */
export async function isAnswering(lines: PostgresLine[], { open, withinMs }: AskParts): Promise<boolean> {
  const probes = lines
    .filter((line) => line.unanswered() === 0)
    .map((line) => line.execute('select 1', []).then(() => true, saysSomething));
  if (probes.length === 0) probes.push(openAndClose(open).then(() => true, saysSomething));
  const { promise: late, resolve } = Promise.withResolvers<false>();
  // A turn of the event loop later, so that an answer that is here already is read first.
  const timer = setTimeout(() => setImmediate(() => resolve(false)), withinMs);
  try {
    return await Promise.race([Promise.any(probes), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function openAndClose(open: AskParts['open']): Promise<void> {
  await (await open()).close();
}

/** Even a refusal is an answer, unless it says that there is nobody. */
function saysSomething(error: unknown): true {
  if (error instanceof StoreUnavailableError && error.fault === 'unreachable') throw error;
  return true;
}
