import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import { createLogger } from './create-logger.ts';

function errorIn(error: Error): Record<string, unknown> {
  const lines: string[] = [];
  createLogger('info', { write: (line: string) => void lines.push(line) }).error(
    { err: error },
    'something failed',
  );
  return (JSON.parse(lines.join('')) as { err: Record<string, unknown> }).err;
}

describe('an error in the log', () => {
  test('a store that does not answer: why, in one word', () => {
    const { name, fault } = errorIn(new StoreUnavailableError('slow'));
    assert.deepEqual([name, fault], ['StoreUnavailableError', 'slow']);
  });

  test('never its message, which may quote an address', () => {
    const error = Object.assign(new Error('no such user: ada@example.com'), { code: '42P01' });
    const { name, code, at, ...more } = errorIn(error);
    assert.deepEqual([name, code, more], ['Error', '42P01', {}]);
    assert.match(String(at), /create-logger\.test\.ts/);
    assert.doesNotMatch(JSON.stringify(at), /ada/);
  });
});
