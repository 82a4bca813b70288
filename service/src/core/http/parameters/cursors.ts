import type { LedgerPlace } from '../../ledger/read-ledger.ts';
import type { TaskPlace } from '../../verify/tasks/list-tasks.ts';

/**
 * A cursor is a place in a list, written as one word: opaque to clients. Whatever comes back is checked like any other
 * input.
 */
const longestCursor = 200;

export function writeCursor(place: (string | number)[]): string {
  return Buffer.from(place.join(' ')).toString('base64url');
}

export function readCursor(text: string): string[] | undefined {
  if (text.length > longestCursor || !/^[\w-]+$/.test(text)) return undefined;
  const place = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  return place.every((part) => /^[\da-f-]+$/.test(part)) ? place : undefined;
}

/** The numbers of a cursor; `undefined` unless there are as many as expected, each as the ledger could hold it. */
export function wholeNumbersOf(place: string[], length: number): number[] | undefined {
  const numbers = place.map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : NaN));
  return numbers.length === length && numbers.every(Number.isSafeInteger) ? numbers : undefined;
}

export function ledgerCursor({ number, available, reserved, spent }: LedgerPlace): string {
  return writeCursor([number, available, reserved, spent]);
}

/** A made-up cursor shows its author wrong figures of an account he may see anyway. */
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
