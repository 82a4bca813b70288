/** A real Prometheus that scrapes services and judges them by our rules, with shorter waits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDebianPackages } from '../../../../scripts/debian-packages.ts';
import { readOpsFile } from '../../../../scripts/ops-files.ts';
import { startProgram } from '../../support/mailproof.ts';
import { until } from '../../support/until.ts';
import { freePort } from '@mailproof/world';

export type Prometheus = {
  /** Returns the names of the firing alerts. */
  firing: () => Promise<string[]>;
  /** Returns the number of series in a query's answer; the query must succeed. */
  query: (expression: string) => Promise<number>;
  /** Resolves once it has scraped every target and evaluated every rule. */
  looked: () => Promise<void>;
  stop: () => Promise<void>;
};

const program = '/usr/bin/prometheus';

/** Starts Prometheus. With patience, a wait of an hour is not shortened: every fixture is without a backup. */
export async function startPrometheus(targets: string[], { hasPatience = true } = {}): Promise<Prometheus> {
  await ensureDebianPackages([{ name: 'prometheus', proof: program }]);
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-prometheus-'));
  const port = await freePort();
  writeFileSync(join(folder, 'alerts.yml'), inAHurry(readOpsFile('prometheus/alerts.yml'), hasPatience));
  writeFileSync(join(folder, 'prometheus.yml'), configFor(targets));
  const started = startProgram(program, [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const body = (await response.json()) as { status: string; data: T; error?: string };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error ?? ''}`);
    return body.data;
  };
  await until(() =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const query = async (expression: string): Promise<number> => {
    const { result } = await ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(expression)}`);
    return result.length;
  };
  return {
    query,
    firing: async () => {
      const { alerts } = await ask<Alerts>('alerts');
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    },
    looked: async () => {
      await until(async () => (await query('up{job="mailproof"}')) === targets.length);
      const since = Date.now();
      await until(
        () => ask<RuleGroups>('rules'),
        ({ groups }) => groups.every(({ lastEvaluation }) => Date.parse(lastEvaluation) > since),
      );
    },
    stop: async () => {
      await started.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Alerts = { alerts: { state: string; labels: { alertname: string } }[] };
type RuleGroups = { groups: { lastEvaluation: string }[] };

/** Returns the same rules with seconds instead of minutes, for waits and windows. */
function inAHurry(rules: string, hasPatience: boolean): string {
  return (
    rules
      .replaceAll(/for: \d+[ms]/g, 'for: 0s')
      .replaceAll('for: 1h', hasPatience ? 'for: 1h' : 'for: 0s')
      // Fewer requests fit into seconds.
      .replaceAll('> 50', '> 5')
      .replaceAll(/\[(?:5|10|30)m\]/g, '[20s]')
      .replaceAll('[1d] offset 30m', '[2m] offset 20s')
      .replaceAll('[6h], 86400', '[1m], 1')
      .replaceAll(/\[15m\](?: offset \d+m)?, 86400/g, '[1m], 1')
  );
}

function configFor(targets: string[]): string {
  // JSON is YAML.
  return JSON.stringify({
    global: { scrape_interval: '4s', scrape_timeout: '4s', evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'mailproof', static_configs: [{ targets }] }],
  });
}
