import { wholeNumbersOf, writeCursor } from '../../../core/http/parameters/cursors.ts';
import type { AccountPlace } from '../find-accounts.ts';

/** Every account id begins with this; the cursor holds the rest. */
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

export function auditCursor(entryNumber: number): string {
  return writeCursor([entryNumber]);
}

export function auditPlace(parts: string[]): number | undefined {
  return wholeNumbersOf(parts, 1)?.[0];
}
