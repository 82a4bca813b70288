import { describe, it } from 'node:test';
import { databases, sqlite } from '../support/databases.ts';
import { checkLedger } from './check-ledger.ts';
import { describeMutants } from './describe-mutants.ts';

for (const database of databases) {
  describe(`the ledger and its tasks on ${database.name}`, () => {
    // A statement to PostgreSQL takes many times as long; new sequences come with every run of the tests.
    const runs = database === sqlite ? 200 : 60;
    it(`agree with the model, and the audit is clean, after every command of ${runs} random sequences`, async () => {
      await checkLedger({ database, runs });
    });
  });
}

// On PostgreSQL: test/faults/ledger-on-postgresql.test.ts.
describeMutants(sqlite);
