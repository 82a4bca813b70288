import { nearestName } from '@mailproof/engine/nearest-name';
import { featureNames as features, type FeatureName as Feature } from '@mailproof/service/feature-names';

/** A feature that an operator can leave out. Everything else is the core. */
export type { Feature };

type EnabledFeatures = { kind: 'ok'; enabled: ReadonlySet<Feature> } | { kind: 'bad'; problem: string };

/** Reads `MAILPROOF_FEATURES`: names separated by commas, or `none`; all features by default. Refuses unknown names. */
export function enabledFeatures(environment: Record<string, string | undefined>): EnabledFeatures {
  const text = (environment['MAILPROOF_FEATURES'] ?? '').trim();
  if (text === '') return { kind: 'ok', enabled: new Set(features) };
  if (text === 'none') return { kind: 'ok', enabled: new Set() };
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !isFeature(name));
  if (unknown === undefined) return { kind: 'ok', enabled: new Set(names.filter(isFeature)) };
  const meant = nearestName(unknown, features);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return {
    kind: 'bad',
    problem: `MAILPROOF_FEATURES names ${JSON.stringify(unknown)}, which is not a feature; it may be none, or any of ${features.join(', ')}.${hint}`,
  };
}

function isFeature(name: string): name is Feature {
  return features.some((feature) => feature === name);
}
