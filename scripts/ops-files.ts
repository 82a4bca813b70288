import { readFileSync } from 'node:fs';

/** A file of `ops/`, which operators take as it is. */
export function readOpsFile(name: string): string {
  return readFileSync(new URL(`../ops/${name}`, import.meta.url), 'utf8');
}

type Board = { panels: { targets?: { expr: string }[] }[] };

/** The board's queries to Prometheus, with the usual name of the job. */
export function readBoardQueries(): string[] {
  const { panels } = JSON.parse(readOpsFile('grafana/mailproof.json')) as Board;
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll('$job', 'mailproof'));
}
