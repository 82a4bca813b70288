import { politenessTable } from '../../engine/src/politeness/default-politeness.ts';
import { ipProfiles } from '../../engine/src/politeness/ip-profile.ts';
import { policyFileBounds } from '../../engine/src/politeness/read-policy-file.ts';
import { postgresLimitTable } from '../../service/src/core/store/postgres/postgres-limits.ts';
import type { Costs } from './read-costs.ts';

/** What is not measured but supposed. Change a figure here and run `npm run docs`. */
export const suppositions = {
  /** The busiest hour against the mean of the day. */
  peak: { value: 3, meaning: 'times the daily mean in the busiest hour' },
  /** A core that is busier than this answers late. */
  busiest: { value: 0.6, meaning: 'of a core used at most, so that responses are not late' },
  secondsUnderWay: {
    value: 4,
    meaning: 'seconds per address on the open internet, including the wait for its host',
  },
  largestProvider: { value: 0.4, meaning: 'of all addresses are at the largest provider' },
  conversationsADay: {
    value: 10_000,
    meaning: 'conversations per day from one IP address, as advised for a good reputation',
  },
  retentionDays: {
    value: 15,
    meaning: 'days until a completed task is erased (`MAILPROOF_TASK_RETENTION_MS`)',
  },
  databaseCores: { value: 32, meaning: 'cores of a large database server' },
  databaseLogMb: { value: 200, meaning: 'MB of log per second that its disks and standbys can take' },
  databaseDiskTb: { value: 8, meaning: 'TB of disk on that server' },
  databaseConnections: { value: 1_000, meaning: 'connections that it serves well' },
} as const;

const given = Object.fromEntries(
  Object.entries(suppositions).map(([name, { value }]) => [name, value]),
) as Record<keyof typeof suppositions, number>;

/** Bulk may have nine tenths of a process's 500 places. */
const bulkPlaces = 450;
const secondsADay = 86_400;

export type Installation = {
  addressesADay: number;
  perSecond: { mean: number; peak: number };
  /** At the peak. */
  workerCores: { inLists: number; alone: number };
  workers: number;
  apiCores: number;
  apis: number;
  databaseCores: number;
  statementsPerSecond: number;
  commitsPerSecond: number;
  logMbPerSecond: number;
  logGbADay: number;
  diskGb: number;
  booksGbAYear: number;
  connections: number;
  conversationsPerSecond: number;
  egressAddresses: number;
  dnsPerSecond: { inLists: number; alone: number };
};

export function sizeInstallation(addressesADay: number, costs: Costs): Installation {
  const mean = addressesADay / secondsADay;
  const peak = mean * given.peak;
  const cores = (us: number): number => (peak * us) / 1e6;
  const processes = (us: number): number => Math.max(1, Math.ceil(cores(us) / given.busiest));
  const byPlaces = Math.ceil((peak * given.secondsUnderWay) / bulkPlaces);
  const workers = Math.max(processes(costs.workerUs.inLists), byPlaces);
  // Two, so that one may fail.
  const apis = Math.max(2, processes(costs.apiUs));
  const gigabytes = (bytes: number): number => bytes / 1e9;
  return {
    addressesADay,
    perSecond: { mean, peak },
    workerCores: { inLists: cores(costs.workerUs.inLists), alone: cores(costs.workerUs.alone) },
    workers,
    apiCores: cores(costs.apiUs),
    apis,
    databaseCores: cores(costs.databaseUs),
    statementsPerSecond: peak * costs.statements,
    commitsPerSecond: peak * costs.commits,
    logMbPerSecond: (peak * costs.walBytes) / 1e6,
    logGbADay: gigabytes(addressesADay * costs.walBytes),
    diskGb: gigabytes(addressesADay * costs.taskBytes * given.retentionDays),
    booksGbAYear: gigabytes(addressesADay * costs.bookBytes * 365),
    connections: (workers + apis) * connectionsOfProcess(),
    conversationsPerSecond: peak * costs.conversations.inLists,
    egressAddresses: Math.ceil((addressesADay * costs.conversations.inLists) / given.conversationsADay),
    dnsPerSecond: { inLists: peak * costs.dnsQueries.inLists, alone: peak * costs.dnsQueries.alone },
  };
}

/** Writes, reads of requests and of the service itself, looks at the whole, and the one that stands. */
function connectionsOfProcess(): number {
  const { writeConnections, readConnections, spareConnections } = postgresLimitTable;
  return writeConnections.value + 2 * readConnections.value + spareConnections.value + 1;
}

/** A limit, and how many times over it is used: below 1 there is room. */
type Pressure = { limit: string; times: number };

/** Addresses a day that one provider is asked about within its limits, whatever the number of processes. */
export function mostAtOneProvider(costs: Costs): number {
  const conversations = politenessTable.connectionsPerMinute.value * 60 * 24;
  return conversations / costs.conversations.inLists;
}

export function pressuresOn(need: Installation, costs: Costs): Pressure[] {
  const atLargest = need.addressesADay * given.largestProvider;
  const routes = policyFileBounds.routes * given.conversationsADay;
  const { connectionsPerSecond: established } = ipProfiles.established;
  return [
    { limit: 'the default limits of the largest provider', times: atLargest / mostAtOneProvider(costs) },
    {
      limit: `the rate of one \`established\` egress address, ${established}/s`,
      times: need.conversationsPerSecond / established,
    },
    {
      limit: 'one egress address, as advised',
      times: (need.addressesADay * costs.conversations.inLists) / given.conversationsADay,
    },
    {
      limit: `${policyFileBounds.routes} egress addresses (one providers file)`,
      times: (need.addressesADay * costs.conversations.inLists) / routes,
    },
    { limit: 'one worker process', times: need.workers },
    { limit: 'one API process', times: need.apiCores / given.busiest },
    {
      limit: 'processors of one database server',
      times: need.databaseCores / given.busiest / given.databaseCores,
    },
    { limit: 'log of one database server', times: need.logMbPerSecond / given.databaseLogMb },
    { limit: 'disk of one database server', times: need.diskGb / 1_000 / given.databaseDiskTb },
    { limit: 'connections of one database server', times: need.connections / given.databaseConnections },
  ];
}
