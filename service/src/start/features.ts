import type { FeatureName } from '../core/config/feature-names.ts';
import type { Feature } from '../core/feature.ts';
import type { AboutHttp } from '../features/about/about-host.ts';
import { aboutFeature } from '../features/about/feature.ts';
import type { AccountHttp } from '../features/account/account-actions.ts';
import { accountFeature } from '../features/account/feature.ts';
import { agentsFeature } from '../features/agents/feature.ts';
import { backupsFeature } from '../features/backups/feature.ts';
import type { ConsoleHttp } from '../features/console/console-files.ts';
import { consoleFeature } from '../features/console/feature.ts';
import { formsFeature } from '../features/forms/feature.ts';
import type { FormHttp } from '../features/forms/form-actions.ts';
import { listsFeature } from '../features/lists/feature.ts';
import type { ListHttp } from '../features/lists/list-actions.ts';
import { metricsFeature } from '../features/metrics/feature.ts';
import type { MetricsHttp } from '../features/metrics/metrics-parts.ts';
import { operatorFeature } from '../features/operator/feature.ts';
import type { OperatorHttp } from '../features/operator/operator-actions.ts';
import { peopleFeature } from '../features/people/feature.ts';
import type { PeopleHttp } from '../features/people/routes/people-parts.ts';
import { probersFeature } from '../features/probers/feature.ts';
import type { ProberHttp } from '../features/probers/prober-centre.ts';
import { webhooksFeature } from '../features/webhooks/feature.ts';
import type { WebhookHttp } from '../features/webhooks/webhook-actions.ts';

// The tables that features add to the schema: a program of types that knows the service knows them too.
import type {} from '../features/forms/form-tables.ts';
import type {} from '../features/lists/list-tables.ts';
import type {} from '../features/operator/statistics/verdict-tables.ts';
import type {} from '../features/people/people-tables.ts';
import type {} from '../features/probers/prober-tables.ts';
import type {} from '../features/webhooks/webhook-tables.ts';

/** The parts of all features together, as the routes of each pick theirs. */
export type FeatureParts = AccountHttp &
  ListHttp &
  WebhookHttp &
  FormHttp &
  PeopleHttp &
  ProberHttp &
  OperatorHttp &
  MetricsHttp &
  AboutHttp &
  ConsoleHttp;

/** All features. A line less, and the feature is gone. */
export const features: readonly Feature<FeatureParts>[] = [
  listsFeature,
  accountFeature,
  peopleFeature,
  formsFeature,
  webhooksFeature,
  operatorFeature,
  probersFeature,
  metricsFeature,
  agentsFeature,
  backupsFeature,
  aboutFeature,
  consoleFeature,
];

/** Returns the features that are named. */
export function chooseFeatures(names: readonly FeatureName[]): readonly Feature<FeatureParts>[] {
  return features.filter(({ name }) => names.includes(name));
}
