import type { AccountPlace } from '../accounts/find-accounts.ts';
import type { LedgerPlace } from '../credits/read-ledger.ts';
import type { TaskPlace } from '../tasks/list-tasks.ts';
import { readPage, wholeNumbersOf, writeCursor } from './read-page.ts';

/** Places in our lists, as cursors that clients hand back. Whatever they make of one is checked like any other input. */
type PlacedPage<Place> = { kind: 'page'; limit: number; from: Place | undefined } | { kind: 'unreadable' };

export function readPlacedPage<Place>(
  query: unknown,
  placeOf: (parts: string[]) => Place | undefined,
): PlacedPage<Place> {
  const page = readPage(query);
  if (page.kind === 'unreadable') return page;
  if (page.before === undefined) return { kind: 'page', limit: page.limit, from: undefined };
  const from = placeOf(page.before);
  return from === undefined ? { kind: 'unreadable' } : { kind: 'page', limit: page.limit, from };
}

export function ledgerCursor({ number, available, reserved, spent }: LedgerPlace): string {
  return writeCursor([number, available, reserved, spent]);
}

/** A cursor that somebody made up shows him wrong figures of an account he may see, and nobody else anything. */
export function ledgerPlace(parts: string[]): LedgerPlace | undefined {
  const [number, available, reserved, spent] = wholeNumbersOf(parts, 4) ?? [];
  if (number === undefined || available === undefined || reserved === undefined || spent === undefined)
    return undefined;
  return { number, available, reserved, spent };
}

export function taskCursor({ createdAt, taskId }: TaskPlace): string {
  return writeCursor([createdAt, taskId]);
}

export function taskPlace([createdAt = '', taskId = '', ...more]: string[]): TaskPlace | undefined {
  const [time] = wholeNumbersOf([createdAt], 1) ?? [];
  return time === undefined || taskId.length !== 36 || more.length > 0
    ? undefined
    : { createdAt: time, taskId };
}

/** Every account's id begins alike; the cursor holds what is behind that. */
const accountIdPrefix = 'acct_';

export function accountCursor({ createdAt, accountId }: AccountPlace): string {
  return writeCursor([createdAt, accountId.slice(accountIdPrefix.length)]);
}

export function accountPlace([createdAt = '', id = '', ...more]: string[]): AccountPlace | undefined {
  const [time] = wholeNumbersOf([createdAt], 1) ?? [];
  return time === undefined || id.length !== 16 || more.length > 0
    ? undefined
    : { createdAt: time, accountId: `${accountIdPrefix}${id}` };
}

export function auditPlace(parts: string[]): number | undefined {
  return wholeNumbersOf(parts, 1)?.[0];
}
