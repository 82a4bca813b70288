import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerIds } from './caller-ids.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

test("a caller's own id and the trace of its request are taken over", () => {
  assert.deepEqual(
    callerIds({ 'x-request-id': 'order-17/4:a+b=', traceparent: `00-${traceId}-${parent}-01` }),
    {
      callerRequestId: 'order-17/4:a+b=',
      traceId,
    },
  );
  assert.deepEqual(
    callerIds({ traceparent: `01-${traceId}-${parent}-01-more` }),
    { traceId },
    'a later version',
  );
  assert.deepEqual(callerIds({}), {});
});

test('what is too long, of another form, or could hold an address is not', () => {
  for (const id of ['', ' ', 'a b', 'a@example.com', 'a"b', 'a\nb', 'é', 'x'.repeat(129)])
    assert.deepEqual(callerIds({ 'x-request-id': id }), {}, JSON.stringify(id));
  const zeros = '0'.repeat(32);
  for (const traceparent of [
    traceId,
    `00-${traceId}-${parent}`,
    `ff-${traceId}-${parent}-01`,
    `00-${zeros}-${parent}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parent}-01`,
    `00-${traceId}-${parent}-01-more`,
    `01-${traceId}-${parent}-01-${'x'.repeat(256)}`,
  ])
    assert.deepEqual(callerIds({ traceparent }), {}, traceparent);
});
