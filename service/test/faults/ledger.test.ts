/** The ledger tests for every statement, now on PostgreSQL, and more random sequences. */
import { describeFailingStore } from '../ledger/failing-store.ts';
import { describeLedger } from '../ledger/check-ledger.ts';
import { describeMutants } from '../ledger/describe-mutants.ts';
import { postgresql, sqlite } from '../support/databases.ts';

describeLedger(sqlite, { runs: 200 });
// A statement to PostgreSQL takes many times as long; every run of the tests has new sequences.
describeLedger(postgresql, { runs: 60 });
describeFailingStore(postgresql);
describeMutants(postgresql);
