import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestDatabase } from '../support/databases.ts';
import { checkLedger } from './check-ledger.ts';
import { mutants } from './mutants.ts';

/** Shows the worth of the ledger test: it finds each of these defects. */
export function describeMutants(database: TestDatabase): void {
  void describe(`a ledger with a defect on ${database.name}`, () => {
    for (const { name, rewrite } of mutants) {
      void it(`the test finds a service that would ${name}`, async () => {
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
