import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databases } from '../../../test/support/databases.ts';
import { statement, type BatchWork } from './statement.ts';

const findAccount = statement((db, arg: { id: string }) =>
  db.selectFrom('account').select('id').where('id', '=', arg.id),
);
const double: BatchWork<number, number> = {
  most: 10,
  run: (_tx, items) => items.map((item) => 2 * item),
};

/** A comparison with null finds nothing and reports no error, so only the compiler can notice the mistake. */
const id: string | null = JSON.parse('null') as string | null;

for (const database of databases) {
  test(`${database.name}: the compiler refuses arguments that a statement does not take`, async (t) => {
    const { store, close } = await database.open();
    t.after(close);
    // @ts-expect-error The statement takes no null.
    assert.equal(await store.read.first(findAccount, { id }), undefined);
    // @ts-expect-error The statement takes no null.
    assert.deepEqual(await store.read.all(findAccount, { id }), []);
    await store.write(async (tx) => {
      // @ts-expect-error The statement takes no null.
      assert.equal(await tx.change(findAccount, { id }), 0);
      // @ts-expect-error The statement takes no null.
      tx.send(findAccount, { id });
      // @ts-expect-error The work takes numbers.
      assert.deepEqual(await tx.batch(double, 'key', '4'), 8);
    });
  });
}
