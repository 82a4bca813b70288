import { collectDefaultMetrics, prometheusContentType, Registry } from '@prometheus-io/client';
import type { FamilyFigures, MetricSeries, Metrics } from './create-metrics.ts';
import type { MetricFamily } from './metric-families.ts';

/** The figures in the text format of Prometheus, with the process's own (`process_…`, `nodejs_…`). */
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
    // Concurrent scrapes share one answer and cost no more than one.
    text: () => (underWay ??= write().finally(() => (underWay = undefined))),
  };
}

/** Collects memory, garbage collection and event loop delay, as the library does for every Node process. */
function openProcessFigures(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopResolutionMs });
  for (const name of misnamed) register.removeSingleMetric(name);
  return register;
}

/**
 * Names of the library that `promtool check metrics` refuses. Some are gauges that end like counters, each the sum of
 * another family. Others contain a type.
 */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_eventloop_utilization_summary',
];

/** The same resolution as the overload guard: the library's 10 ms would wake an idle process twice as often. */
const loopResolutionMs = 20;

type Value = { labels: Record<string, string | number>; value: number; metricName?: string };

/** Describes a family in the library's JSON, which the library writes as text. */
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
