import type { FeatureName } from './config/feature-names.ts';
import type { FeatureHttp } from './http/routes/http-parts.ts';
import type { AuditAccount } from './ledger/violation.ts';
import type { Listener } from './store/statement.ts';
import type { Chores } from './upkeep/sweep.ts';

/** A feature's share in the store: it hears what happens, tends its rows, and audits them. */
export type StoreShare = Chores & {
  listener?: Listener;
  audit?: AuditAccount;
};

/** The parts that a feature brings to the service. Adding one is a folder and a line in `start/features.ts`. */
export type Feature<Parts = never> = {
  name: FeatureName;
  store?: StoreShare;
  /** Loads its routes, which a process without an API does not need. */
  loadHttp?: () => Promise<(parts: Parts) => FeatureHttp>;
};
