import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { createTestClock, type TestClock } from '../../../../../engine/test/support/test-clock.ts';
import { readUpload, SlowUploadError } from './read-upload.ts';

/** An upload of pieces of one size, each so long after the one before. */
function uploadOf(
  clock: TestClock,
  { pieces, bytes, everyMs }: Record<'pieces' | 'bytes' | 'everyMs', number>,
) {
  async function* body() {
    for (let n = 0; n < pieces; n += 1) {
      clock.advance(everyMs);
      yield await Promise.resolve(Buffer.alloc(bytes, 'a'));
    }
  }
  const message = Object.assign(Readable.from(body()), { headers: { 'content-type': 'text/csv' } });
  // As much of a message as is read.
  return message as unknown as IncomingMessage;
}

async function received(upload: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const piece of upload) bytes += piece.length;
  return bytes;
}

describe('an upload', () => {
  it('that drips is given up, though it is never silent', async () => {
    const clock = createTestClock();
    const dripping = uploadOf(clock, { pieces: 1_000, bytes: 1, everyMs: 5_000 });
    await assert.rejects(received(readUpload(dripping, clock)), SlowUploadError);
    assert.ok(clock.now() < 60_000);
  });

  it('that never ends is given up after half an hour, at whatever rate', async () => {
    const clock = createTestClock();
    const endless = uploadOf(clock, { pieces: 10_000, bytes: 10_000, everyMs: 1_000 });
    await assert.rejects(received(readUpload(endless, clock)), SlowUploadError);
  });

  it('over a slow line is received', async () => {
    const clock = createTestClock();
    const slow = uploadOf(clock, { pieces: 300, bytes: 5_000, everyMs: 1_000 });
    assert.equal(await received(readUpload(slow, clock)), 1_500_000);
  });
});
