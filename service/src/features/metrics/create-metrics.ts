import { featureNames, type FeatureName } from '../../core/config/feature-names.ts';
import {
  metricFamilies,
  type FamilyKey,
  type KeyOfType,
  type LabelsOf,
  type MetricFamily,
} from './metric-families.ts';

/**
 * Counts what happens, in plain numbers: an event on the way of a request costs one step in a map. Everything else is
 * done when somebody asks for the figures (see create-exposition.ts), and what can be looked up then is not counted
 * at all.
 */
export type Metrics = {
  count: <Key extends KeyOfType<'counter'>>(key: Key, labels: LabelsOf<Key>) => void;
  observe: <Key extends KeyOfType<'histogram'>>(key: Key, labels: LabelsOf<Key>, value: number) => void;
  /** Adds something that is looked up whenever the figures are asked for. */
  addSource: (source: MetricSource) => void;
  /** What was counted, and what the sources say now. */
  read: () => Promise<FamilyFigures[]>;
};

export type MetricSource = () => MetricSample[] | Promise<MetricSample[]>;

/** One figure that was looked up. */
export type MetricSample = {
  [Key in KeyOfType<'counter' | 'gauge'>]: { key: Key; labels: LabelsOf<Key>; value: number };
}[KeyOfType<'counter' | 'gauge'>];

export type FamilyFigures = { family: MetricFamily; series: MetricSeries[] };

/** `buckets` are counts by upper bound, each for itself; what is above the last bound is in `count` alone. */
export type MetricSeries = {
  labels: readonly string[];
  value: number;
  count: number;
  buckets: number[];
};

/** Far more than the tables of routes, reasons and providers make in practice; what is beyond is counted as `other`. */
export const mostSeries = 2_000;
const overflowValue = 'other';

/** Creates the figures of an installation with these features; all of them by default. */
export function createMetrics(features: readonly FeatureName[] = featureNames): Metrics {
  const counted = new Map<FamilyKey, Tally>();
  const sources: MetricSource[] = [];
  const isShown = (key: FamilyKey): boolean => {
    const { feature }: MetricFamily = metricFamilies[key];
    return feature === undefined || features.includes(feature);
  };

  function tallyOf(key: FamilyKey): Tally {
    const known = counted.get(key);
    if (known !== undefined) return known;
    const tally = createTally(metricFamilies[key]);
    counted.set(key, tally);
    return tally;
  }

  return {
    count: (key, labels) => {
      tallyOf(key).seriesOf(labels).value += 1;
    },
    observe: (key, labels, value) => tallyOf(key).observe(labels, value),
    addSource: (source) => void sources.push(source),
    read: async () => {
      const samples = (await Promise.all(sources.map(async (source) => source()))).flat();
      const sampled = new Map<FamilyKey, Tally>();
      for (const { key, labels, value } of samples) {
        const tally = sampled.get(key) ?? createTally(metricFamilies[key]);
        sampled.set(key, tally);
        tally.seriesOf(labels).value += value;
      }
      return familyKeys.filter(isShown).map((key) => ({
        family: metricFamilies[key],
        series: [...(counted.get(key)?.all() ?? []), ...(sampled.get(key)?.all() ?? [])],
      }));
    },
  };
}

const familyKeys = Object.keys(metricFamilies) as FamilyKey[];

type Tally = ReturnType<typeof createTally>;

/** Where a series is found, one label after the other: no text has to be put together for it. */
type Place = { series?: MetricSeries; below: Map<string, Place> };

/** The series of one family. What runs on the way of a request is written as loops: it is short, and runs often. */
function createTally({ labels: labelTexts, buckets = [] }: MetricFamily) {
  const names = Object.keys(labelTexts);
  const all: MetricSeries[] = [];
  const root: Place = { below: new Map() };
  let overflow: MetricSeries | undefined;

  function seriesOf(labels: Readonly<Record<string, string>>): MetricSeries {
    let place: Place | undefined = root;
    for (const name of names) place = place?.below.get(labels[name] ?? '');
    return place?.series ?? addSeries(names.map((name) => labels[name] ?? ''));
  }

  function addSeries(values: string[]): MetricSeries {
    if (all.length >= mostSeries) return (overflow ??= createSeries(names.map(() => overflowValue)));
    let place = root;
    for (const value of values) {
      const next: Place = place.below.get(value) ?? { below: new Map() };
      place.below.set(value, next);
      place = next;
    }
    return (place.series = createSeries(values));
  }

  function createSeries(labels: string[]): MetricSeries {
    const one = { labels, value: 0, count: 0, buckets: buckets.map(() => 0) };
    all.push(one);
    return one;
  }

  return {
    seriesOf,
    observe: (labels: Readonly<Record<string, string>>, value: number): void => {
      const one = seriesOf(labels);
      one.value += value;
      one.count += 1;
      let at = 0;
      while (value > (buckets[at] ?? Infinity)) at += 1;
      const inBucket = one.buckets[at];
      if (inBucket !== undefined) one.buckets[at] = inBucket + 1;
    },
    all: (): readonly MetricSeries[] => all,
  };
}
