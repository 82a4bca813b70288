import { sqlite } from '../support/databases.ts';
import { describeLedger } from './check-ledger.ts';
import { describeMutants } from './describe-mutants.ts';

// On PostgreSQL, and with more sequences: test/faults/ledger.test.ts.
describeLedger(sqlite, { runs: 60 });
describeMutants(sqlite);
