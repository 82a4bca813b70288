import { collectDefaultMetrics, prometheusContentType, Registry } from '@prometheus-io/client';
import type { FamilyFigures, MetricSeries, Metrics } from './create-metrics.ts';
import type { MetricFamily } from './metric-families.ts';

/** The figures in Prometheus' text format, with those of the process itself (`process_…`, `nodejs_…`). */
export type Exposition = { contentType: string; text: () => Promise<string> };

export function createExposition(metrics: Metrics): Exposition {
  const ofProcess = openProcessFigures();
  let underWay: Promise<string> | undefined;

  async function write(): Promise<string> {
    const ours = Registry.aggregate([(await metrics.read()).map(describeFamily)]);
    return `${await ours.metrics()}\n${await ofProcess.metrics()}`;
  }

  return {
    contentType: prometheusContentType,
    // Whoever asks meanwhile gets the same answer: many that ask cost no more than one.
    text: () => (underWay ??= write().finally(() => (underWay = undefined))),
  };
}

/** Memory, garbage collection and the delay of the event loop, as the library knows them of every Node process. */
function openProcessFigures(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopResolutionMs });
  for (const name of misnamed) register.removeSingleMetric(name);
  return register;
}

/**
 * Names of the library that `promtool check metrics` refuses: gauges that end like counters, each the sum of another
 * family, and names that hold a type.
 */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_eventloop_utilization_summary',
];

/** As finely as the overload guard looks: the library's own 10 ms would wake an idle process twice as often. */
const loopResolutionMs = 20;

type Value = { labels: Record<string, string | number>; value: number; metricName?: string };

/** A family as the library describes one in JSON, which it then writes as text. */
function describeFamily({ family, series }: FamilyFigures): object {
  const { name, help, type } = family;
  const values = series.flatMap((one) =>
    type === 'histogram'
      ? histogramValues(family, one)
      : [{ labels: labelsOf(family, one), value: one.value }],
  );
  return { name, help, type, values };
}

function labelsOf(family: MetricFamily, { labels }: MetricSeries): Record<string, string> {
  return Object.fromEntries(Object.keys(family.labels).map((name, at) => [name, labels[at] ?? '']));
}

/** Buckets are cumulative in the format. */
function histogramValues(family: MetricFamily, series: MetricSeries): Value[] {
  const { name, buckets = [] } = family;
  const labels = labelsOf(family, series);
  let below = 0;
  const bucket = (le: number | string, value: number): Value => ({
    labels: { le, ...labels },
    value,
    metricName: `${name}_bucket`,
  });
  return [
    ...buckets.map((bound, at) => bucket(bound, (below += series.buckets[at] ?? 0))),
    bucket('+Inf', series.count),
    { labels, value: series.value, metricName: `${name}_sum` },
    { labels, value: series.count, metricName: `${name}_count` },
  ];
}
