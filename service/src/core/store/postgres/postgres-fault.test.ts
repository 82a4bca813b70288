import assert from 'node:assert/strict';
import { it } from 'node:test';
import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';
import { asStoreError } from './postgres-fault.ts';

const failing = (code: string) => Object.assign(new Error(`write ${code}`), { code });

it('a connection that breaks is the database out of reach, however the system calls it', () => {
  for (const code of ['EPIPE', 'EBADF', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'])
    expectFault(code, 'unreachable');
});

it('what the server says is told from our defects', () => {
  expectFault('57P01', 'unreachable');
  expectFault('53300', 'overloaded');
  expectFault('40P01', 'conflict');
  expectFault('25006', 'not_writable');
  const defect = failing('42601');
  assert.equal(asStoreError(defect), defect);
});

function expectFault(code: string, fault: StoreFault): void {
  const found = asStoreError(failing(code));
  assert.ok(found instanceof StoreUnavailableError, code);
  assert.equal(found.fault, fault, code);
}
