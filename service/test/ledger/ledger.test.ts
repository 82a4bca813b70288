import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../support/databases.ts';
import { checkLedger } from './check-ledger.ts';
import { mutants } from './mutants.ts';

for (const database of databases) {
  describe(`the ledger and its tasks on ${database.name}`, () => {
    // A statement to PostgreSQL takes many times as long; new sequences come with every run of the tests.
    const runs = database.name === 'SQLite' ? 200 : 60;
    it(`agree with the model, and the audit is clean, after every command of ${runs} random sequences`, async () => {
      await checkLedger({ database, runs });
    });

    for (const { name, rewrite } of mutants) {
      it(`the test finds a service that would ${name}`, async () => {
        let changed = 0;
        const counting = (sql: string) => {
          const text = rewrite(sql);
          if (text !== sql) changed += 1;
          return text;
        };
        await assert.rejects(checkLedger({ database, runs: 1_000, seed: 11, rewrite: counting }));
        assert.ok(changed > 0, 'the mutant changed nothing');
      });
    }
  });
}
