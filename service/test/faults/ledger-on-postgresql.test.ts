/** What the tests of the ledger do with every statement of SQLite, with those of PostgreSQL. */
import { describeFailingStore } from '../ledger/failing-store.ts';
import { describeMutants } from '../ledger/describe-mutants.ts';
import { postgresql } from '../support/databases.ts';

describeFailingStore(postgresql);
describeMutants(postgresql);
