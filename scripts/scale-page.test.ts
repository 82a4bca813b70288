import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { scalePage } from './scale-page.ts';
import { readCosts, type Costs } from './scale/read-costs.ts';
import { pressuresOn, sizeInstallation } from './scale/size-installation.ts';

const page = readFileSync(new URL('../docs/scale.md', import.meta.url), 'utf8');

test('docs/scale.md says what follows from the committed measurements (npm run docs writes it)', () => {
  assert.equal(page, scalePage(page, readCosts()));
});

/** Round figures, so that the arithmetic can be done in the head. */
const round: Costs = {
  workerUs: { inLists: 1_000, alone: 2_000 },
  apiUs: 100,
  databaseUs: 500,
  statements: 5,
  commits: 0.05,
  walBytes: 2_000,
  taskBytes: 1_000,
  bookBytes: 20,
  conversations: { inLists: 0.1, alone: 1 },
  dnsQueries: { inLists: 0.2, alone: 3 },
  busy: false,
};

test('needs are the costs of an address times as many as come in the busiest hour', () => {
  const need = sizeInstallation(86_400_000, round);
  assert.deepEqual(need.perSecond, { mean: 1_000, peak: 3_000 });
  assert.deepEqual(need.workerCores, { inLists: 3, alone: 6 });
  // 3,000 a second, each four seconds under way, in 450 places; the cores alone would ask for five.
  assert.equal(need.workers, 27);
  assert.equal(need.apis, 2);
  assert.equal(need.databaseCores, 1.5);
  assert.deepEqual([need.statementsPerSecond, need.commitsPerSecond, need.logMbPerSecond], [15_000, 150, 6]);
  assert.equal(need.diskGb, 86.4 * 15);
  assert.equal(need.connections, 29 * 15);
  assert.equal(need.egressAddresses, 864);
});

test('a limit that is used more than once over is one that binds', () => {
  const pressures = pressuresOn(sizeInstallation(86_400_000, round), round);
  const at = (limit: string) => pressures.find((one) => one.limit === limit)?.times;
  // 43,200 connections a day of ten addresses each, and four of ten addresses are there.
  assert.equal(at('the default limits of the largest provider'), 80);
  assert.equal(at('100 egress addresses (one providers file)'), 8.64);
  assert.equal(at('connections of one database server'), 0.435);
});
