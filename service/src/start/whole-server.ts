import { featureNames, type FeatureName } from '../core/config/feature-names.ts';
import type { ApiServer, FeatureHttp, HttpParts } from '../core/http/routes/http-parts.ts';
import { connectionLimits, createServer } from '../core/http/server.ts';
import { chooseFeatures, type FeatureParts } from './features.ts';

/** The parts of the HTTP side: of the core, and of every feature. */
export type WholeHttpParts = HttpParts & FeatureParts;

export async function loadFeatureHttp(
  names: readonly FeatureName[],
  parts: FeatureParts,
): Promise<FeatureHttp[]> {
  const { operator, ...others } = parts;
  const given = {
    ...others,
    // The people feature has pages for the operator, which are left out with that feature.
    ...(names.includes('operator') ? { operator } : {}),
    showsProbers: names.includes('probers'),
  } as FeatureParts;
  const loaded = chooseFeatures(names).map(async ({ loadHttp }) => (await loadHttp?.())?.(given));
  return (await Promise.all(loaded)).filter((one) => one !== undefined);
}

/** Creates the HTTP side with the features that are named; all of them by default. */
export async function createWholeServer(
  parts: WholeHttpParts,
  limits = connectionLimits,
  names: readonly FeatureName[] = featureNames,
): Promise<ApiServer> {
  return createServer({ ...parts, features: await loadFeatureHttp(names, parts) }, limits);
}
