import { createMetrics, metricFamilies, type MetricFamily } from '@mailproof/service';
import { createExposition } from '@mailproof/service/exposition';
import { markdownTable } from './markdown-table.ts';

/** docs/metrics.md, made from the table that the figures are counted by, and from what the library adds. */
export async function metricsPage(): Promise<string> {
  return [
    '# Metrics',
    '',
    '`GET /metrics` answers in the text format of Prometheus, on a port of its own (`MAILPROOF_METRICS_PORT`) or, behind',
    '`MAILPROOF_METRICS_TOKEN` (`Authorization: Bearer …`), on the port of the API. With both, it is on its own port and',
    'the token is required there. Without either, nothing is served. Every process exports its own figures; those that are',
    'read from the database (tasks, lists, credits, frozen accounts) are the same in all of them, so use `max`, not `sum`.',
    'They are read again after ten seconds at the earliest.',
    '',
    'No label holds an address, a domain, an account or a key. A family has 2,000 series at most; what is beyond is counted',
    'with every label set to `other`. Counters start at 0 with the process. This page is written from',
    '`service/src/features/metrics/metric-families.ts` by `npm run docs`.',
    '',
    ...markdownTable([
      ['metric', 'type', 'labels', 'meaning'],
      ...Object.values(metricFamilies).map((family: MetricFamily) => [
        `\`${family.name}\``,
        family.type,
        Object.keys(family.labels)
          .map((label) => `\`${label}\``)
          .join(', '),
        family.help,
      ]),
    ]),
    '',
    '## Labels',
    '',
    ...markdownTable([
      ['metric', 'label', 'may be'],
      ...Object.values(metricFamilies).flatMap((family: MetricFamily) =>
        Object.entries(family.labels).map(([label, mayBe]) => [`\`${family.name}\``, `\`${label}\``, mayBe]),
      ),
    ]),
    '',
    '## The process',
    '',
    'These come from the Prometheus client library: CPU, memory, garbage collection, file descriptors, and the delay of the',
    'event loop.',
    '',
    ...(await processNames()).map((name) => `- \`${name}\``),
    '',
  ].join('\n');
}

/** Some are known on some systems only; the page names those of Linux. */
async function processNames(): Promise<string[]> {
  const text = await createExposition(createMetrics()).text();
  return [...text.matchAll(/^# TYPE (?<name>(?:process|nodejs)_\w+)/gm)]
    .map(({ groups }) => groups?.['name'] ?? '')
    .sort();
}
