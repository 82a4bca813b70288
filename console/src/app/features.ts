import type { JSX } from 'preact';

/** The features of the service that have pages or cards in the console; each has its folder in `features/`. */
export type Feature = 'lists' | 'webhooks' | 'forms' | 'people' | 'probers' | 'operator';

/** A page belongs to a feature, or to the core, which no installation leaves out. */
export type Owner = Feature | 'core';

export type Features = { has(owner: Owner): boolean };

/** A card that a feature adds to the page of another folder. */
export type FeatureCard<Props = object> = { feature: Feature; Card: (props: Props) => JSX.Element | null };

/** The element of `index.html` in which the service names its features. */
export const featuresSelector = 'meta[name="mailproof-features"]';

/** Reads the names that the service wrote into its page, separated by commas. Nothing or `all`: every feature. */
export function readFeatures(content: string | null | undefined): Features {
  const names = new Set((content ?? 'all').split(',').map((name) => name.trim()));
  return { has: (owner) => owner === 'core' || names.has('all') || names.has(owner) };
}
