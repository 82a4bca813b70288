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

/** Features that another cannot do without. */
export const neededBy: Partial<Record<FeatureName, readonly FeatureName[]>> = {
  people: ['account'],
  console: ['people', 'account'],
};

/** Says which feature misses one that it needs, in one line for the operator. */
export function findFeatureProblem(names: readonly FeatureName[]): string | undefined {
  for (const name of names) {
    const missing = neededBy[name]?.find((need) => !names.includes(need));
    if (missing !== undefined)
      return `MAILPROOF_FEATURES names ${name}, which needs ${missing}: add ${missing}, or leave ${name} out`;
  }
  return undefined;
}
