/** What the tests of the ledger do with every statement of SQLite, with those of PostgreSQL, and more random sequences. */
import { describeFailingStore } from '../ledger/failing-store.ts';
import { describeLedger } from '../ledger/check-ledger.ts';
import { describeMutants } from '../ledger/describe-mutants.ts';
import { postgresql, sqlite } from '../support/databases.ts';

describeLedger(sqlite, { runs: 200 });
// A statement to PostgreSQL takes many times as long; new sequences come with every run of the tests.
describeLedger(postgresql, { runs: 60 });
describeFailingStore(postgresql);
describeMutants(postgresql);
