import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { audit } from '../../../start/whole-store.ts';
import { oneDatabase } from '../../../../test/support/databases.ts';
import type { Asked } from '../../../../test/support/http/open-http-fixture.ts';
import {
  admin,
  endpointsOf,
  openOperatorFixture,
} from '../../../../test/support/http/open-operator-fixture.ts';

/** Texts that have broken something somewhere: half pairs, NULs, quotes, numbers in disguise, names of prototypes. */
const nasty = fc.constantFrom(
  '',
  ' ',
  '\0',
  '\ud800',
  "'; drop table account; --",
  '%00',
  '../../../http',
  '__proto__',
  'constructor',
  '1e309',
  '-0',
  '9'.repeat(400),
  '😀'.repeat(60),
  'paid',
  'none',
  'live',
);
const text = fc.oneof(nasty, fc.string({ maxLength: 260 }), fc.string({ unit: 'binary', maxLength: 60 }));
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(0, 1, -1, 1.5, 1e12, 1e12 + 1, 2 ** 53),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.integer(), { maxKeys: 3 }),
);
const field = fc.constantFrom(
  'name',
  'plan',
  'credits',
  'reason',
  'mode',
  'limit',
  'before',
  'search',
  'hours',
  'x',
  '__proto__',
);
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.dictionary(field, value, { maxKeys: 4 }).map((fields) => JSON.stringify(fields)),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: text },
);
const query = fc.array(fc.tuple(field, text), { maxLength: 3 });

const statuses = new Set([200, 201, 204, 400, 404, 405, 409, 422]);

for (const database of oneDatabase) {
  describe(`random requests to ${admin} on ${database.name}`, () => {
    test('are answered as the OpenAPI document says, and leave the books in balance', async () => {
      const fixture = await openOperatorFixture(database);
      const { ours } = fixture;
      const ids = fc.oneof(
        { weight: 3, arbitrary: fc.constant(ours.accountId) },
        { weight: 1, arbitrary: text.filter((id) => id.isWellFormed() && !/^\.{0,2}$/.test(id)) },
      );
      const request = fc.record({
        which: fc.nat({ max: endpointsOf('').length - 1 }),
        id: ids,
        query,
        body,
        word: fc.option(fc.constantFrom('a', 'b', 'two words', 'x'.repeat(300)), { nil: undefined, freq: 3 }),
        method: fc.option(
          fc.constantFrom('GET' as const, 'POST' as const, 'PUT' as const, 'DELETE' as const),
          {
            nil: undefined,
            freq: 8,
          },
        ),
      });
      const seen = new Set<number>();
      const property = fc.asyncProperty(request, async (asked) => {
        const endpoint: Asked | undefined = endpointsOf(encodeURIComponent(asked.id))[asked.which];
        assert.ok(endpoint !== undefined);
        const parameters = asked.query
          .filter(([, one]) => one.isWellFormed())
          .map(([name, one]) => `${name}=${encodeURIComponent(one)}`);
        const method = asked.method ?? endpoint.method ?? 'GET';
        const { statusCode } = await fixture.ask({
          method,
          url: [endpoint.url, ...(parameters.length > 0 ? [parameters.join('&')] : [])].join('?'),
          asOperator: true,
          ...(method === 'GET' ? {} : { body: asked.body }),
          ...(asked.word === undefined ? {} : { headers: { 'idempotency-key': asked.word } }),
        });
        seen.add(statusCode);
        assert.ok(statuses.has(statusCode), `${method} ${endpoint.url}: ${statusCode}`);
      });
      await fc.assert(property, { numRuns: 600, endOnFailure: true });
      for (const expected of [200, 400, 404, 405]) assert.ok(seen.has(expected), `${expected} was never met`);
      assert.deepEqual((await audit(fixture)).violations, []);
      await fixture.close();
    });
  });
}
