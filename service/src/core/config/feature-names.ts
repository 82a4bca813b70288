/** Names of the features, as `MAILPROOF_FEATURES` and the console know them. */
export const featureNames = [
  'account',
  'lists',
  'webhooks',
  'forms',
  'people',
  'agents',
  'probers',
  'operator',
  'metrics',
  'backups',
  'about',
  'console',
] as const;

export type FeatureName = (typeof featureNames)[number];
