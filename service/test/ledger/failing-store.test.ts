import { sqlite } from '../support/databases.ts';
import { describeFailingStore } from './failing-store.ts';

// On PostgreSQL: test/faults/ledger-on-postgresql.test.ts.
describeFailingStore(sqlite);
