import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { createMetrics, metricFamilies, type MetricFamily } from '@mailproof/service';
import { createExposition } from '@mailproof/service/exposition';
import type { MetricSample } from '../service/src/features/metrics/create-metrics.ts';
import type { KeyOfType } from '../service/src/features/metrics/metric-families.ts';
import { ensureDebianPackages } from './debian-packages.ts';
import { readBoardQueries, readOpsFile } from './ops-files.ts';

/** What an operator takes from `ops/`: the rules that call him, and the board he looks at. */
const run = promisify(execFile);
const promtool = '/usr/bin/promtool';
const rules = readOpsFile('prometheus/alerts.yml');
const ruleNames = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);

before(() => ensureDebianPackages([{ name: 'prometheus', proof: promtool }]));

test('the alert rules are rules, and each fires when it should and not before', async () => {
  const cwd = new URL('../ops/prometheus/', import.meta.url);
  await run(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yml'], { cwd });
  await run(promtool, ['test', 'rules', 'alerts.test.yml'], { cwd });
});

test('no rule is without a test that sees it fire', () => {
  const tests = readOpsFile('prometheus/alerts.test.yml');
  const fired = new Set(
    [...tests.matchAll(/alertname: (\w+)\n\s+exp_alerts:\n\s+- exp_labels/g)].map(([, name]) => name),
  );
  assert.deepEqual([...fired].sort(), [...ruleNames].sort());
});

test('rules and board ask only for what is exported, by labels that it has', async () => {
  const exported = await exportedLabels();
  for (const query of [...readBoardQueries(), rules]) {
    for (const [, name = '', labels = ''] of query.matchAll(
      /\b((?:mailproof|process|nodejs)_\w+)(\{[^}]*\})?/g,
    )) {
      if (name === 'mailproof_') continue;
      const known = exported.get(name);
      assert.ok(known !== undefined, `${name} is not exported`);
      for (const [, label = ''] of labels.matchAll(/(\w+)=/g))
        assert.ok(['job', 'instance', ...known].includes(label), `${name} has no label ${label}`);
    }
    for (const [, grouped = ''] of query.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of grouped.split(/, */))
        assert.ok(allLabels(exported).has(label), `${label} is no label of anything`);
  }
});

test('the names of all figures pass promtool check metrics', async () => {
  const metrics = createMetrics();
  metrics.addSource(() => everySample());
  for (const [key, { type, labels }] of Object.entries<MetricFamily>(metricFamilies))
    if (type === 'histogram') metrics.observe(key as KeyOfType<'histogram'>, labels, 1);
  const text = await createExposition(metrics).text();
  for (const { name } of Object.values<MetricFamily>(metricFamilies))
    assert.match(text, new RegExp(`^${name}`, 'm'));
  const checked = run(promtool, ['check', 'metrics']);
  checked.child.stdin?.end(text);
  assert.deepEqual(await checked, { stdout: '', stderr: '' });
});

/** A figure of each counter and gauge, labelled by what the labels mean. */
function everySample(): MetricSample[] {
  return Object.entries<MetricFamily>(metricFamilies)
    .filter(([, { type }]) => type !== 'histogram')
    .map(([key, { labels }]) => ({ key, labels, value: 1 }) as MetricSample);
}

test('every figure of ours is on the board', () => {
  const queries = readBoardQueries().join('\n');
  const absent = Object.values(metricFamilies)
    .map((family: MetricFamily) => family.name)
    .filter((name) => !queries.includes(name));
  assert.deepEqual(absent, []);
});

test('the queries of the board are PromQL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-board-'));
  const records = readBoardQueries().map((expr, number) => ({ record: `query:number${number}`, expr }));
  try {
    // JSON is YAML.
    writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'board', rules: records }] }));
    await run(promtool, ['check', 'rules', 'rules.yml'], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Every name that a query may hold, with its labels. */
async function exportedLabels(): Promise<Map<string, string[]>> {
  const ours = Object.values(metricFamilies).flatMap((family: MetricFamily): [string, string[]][] => {
    const { name, type } = family;
    const labels = Object.keys(family.labels);
    if (type !== 'histogram') return [[name, labels]];
    return [
      [`${name}_bucket`, ['le', ...labels]],
      [`${name}_sum`, labels],
      [`${name}_count`, labels],
    ];
  });
  const text = await createExposition(createMetrics()).text();
  const ofProcess = [...text.matchAll(/^# TYPE ((?:process|nodejs)_\w+)/gm)].map(
    ([, name = '']): [string, string[]] => [name, []],
  );
  return new Map([...ours, ...ofProcess]);
}

function allLabels(exported: Map<string, string[]>): Set<string> {
  return new Set(['instance', 'job', ...[...exported.values()].flat()]);
}

test('the example of a configuration names the rules that stand beside it', async () => {
  const config = readOpsFile('prometheus/prometheus.yml');
  assert.match(config, /rule_files: \[alerts\.yml\]/);
  const cwd = new URL('../ops/prometheus/', import.meta.url);
  await run(promtool, ['check', 'config', 'prometheus.yml'], { cwd });
  assert.ok(
    readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8').includes('ops/prometheus'),
  );
});
