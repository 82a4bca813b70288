import { markdownTable } from './markdown-table.ts';
import { pollsOfTask, type Costs } from './scale/read-costs.ts';
import {
  mostAtOneProvider,
  pressuresOn,
  sizeInstallation,
  suppositions,
  type Installation,
} from './scale/size-installation.ts';

/** The figures of docs/scale.md. They stand between marks; the text around them is written by hand. */
export function scalePage(page: string, costs: Costs): string {
  const needs = [1e6, 1e8, 1e9].map((addresses) => sizeInstallation(addresses, costs));
  const parts = { costs: costLines(costs), suppositions: suppositionLines(), needs: needLines(needs) };
  const filled = Object.entries({ ...parts, pressures: pressureLines(needs, costs) });
  return filled.reduce((text, [name, lines]) => fill(text, name, lines), page);
}

function fill(page: string, name: string, lines: string[]): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/scale.md has no place for ${name}`);
  return `${page.slice(0, from + begin.length)}\n\n${lines.join('\n')}\n\n${page.slice(to)}`;
}

function costLines(costs: Costs): string[] {
  const { workerUs, conversations, dnsQueries } = costs;
  const busy = 'The machine was **busy with other work** during the measurements, so the times are too high.';
  return [
    ...markdownTable([
      ['cost of an address', 'in lists', 'alone', 'from'],
      ['worker, processor', us(workerUs.inLists), us(workerUs.alone), '`bench:scale`, `bench:engine`'],
      ['API, processor', us(costs.apiUs), '', `\`bench:api\`: a hundredth of a list, ${pollsOfTask} polls`],
      ['database, processor', us(costs.databaseUs), '', '`bench:scale`, `bench:api`'],
      ['statements', short(costs.statements), '', '`bench:scale`'],
      ['transactions', short(costs.commits), '', '`bench:scale`'],
      ['log (WAL)', `${short(costs.walBytes)} bytes`, '', '`bench:scale`'],
      ['disk, until erased', `${short(costs.taskBytes)} bytes`, '', '`bench:scale`'],
      ['disk for the ledger, forever', `${short(costs.bookBytes)} bytes`, '', '`bench:scale`'],
      ['conversations', short(conversations.inLists), short(conversations.alone), '`bench:engine`'],
      ['DNS queries', short(dnsQueries.inLists), short(dnsQueries.alone), '`bench:engine`'],
    ]),
    ...(costs.busy ? ['', busy] : []),
  ];
}

function suppositionLines(): string[] {
  return Object.values(suppositions).map(({ value, meaning }) => `- ${short(value)} ${meaning}`);
}

type Row = [string, (need: Installation) => string];

const rows: Row[] = [
  ['addresses per second, mean', ({ perSecond }) => short(perSecond.mean)],
  ['addresses per second, busiest hour', ({ perSecond }) => short(perSecond.peak)],
  ['cores for workers, in lists', ({ workerCores }) => short(workerCores.inLists)],
  ['cores for workers, alone', ({ workerCores }) => short(workerCores.alone)],
  ['worker processes', ({ workers }) => short(workers)],
  ['cores for the API', ({ apiCores }) => short(apiCores)],
  ['API processes', ({ apis }) => short(apis)],
  ['cores for the database', ({ databaseCores }) => short(databaseCores)],
  ['statements per second', ({ statementsPerSecond }) => short(statementsPerSecond)],
  ['transactions per second', ({ commitsPerSecond }) => short(commitsPerSecond)],
  ['log, MB per second', ({ logMbPerSecond }) => short(logMbPerSecond)],
  ['log, GB per day', ({ logGbADay }) => short(logGbADay)],
  ['disk for tasks, GB', ({ diskGb }) => short(diskGb)],
  ['growth of the ledger, GB per year', ({ booksGbAYear }) => short(booksGbAYear)],
  ['database connections, at most', ({ connections }) => short(connections)],
  ['conversations per second', ({ conversationsPerSecond }) => short(conversationsPerSecond)],
  ['egress addresses, as advised', ({ egressAddresses }) => short(egressAddresses)],
  [
    'DNS queries per second, in lists to alone',
    ({ dnsPerSecond }) => `${short(dnsPerSecond.inLists)} to ${short(dnsPerSecond.alone)}`,
  ],
];

function needLines(needs: Installation[]): string[] {
  return markdownTable([
    ['addresses per day', ...needs.map(({ addressesADay }) => millions(addressesADay))],
    ...rows.map(([name, read]) => [name, ...needs.map(read)]),
  ]);
}

function pressureLines(needs: Installation[], costs: Costs): string[] {
  const columns = needs.map((need) => pressuresOn(need, costs));
  const limits = columns[0]?.map(({ limit }) => limit) ?? [];
  const table = markdownTable([
    ['times over', ...needs.map(({ addressesADay }) => millions(addressesADay))],
    ...limits.map((limit, row) => [limit, ...columns.map((column) => times(column[row]?.times ?? NaN))]),
  ]);
  const most = short(mostAtOneProvider(costs));
  return [...table, '', `With the default limits, one provider is asked about ${most} addresses per day.`];
}

/** A resource that is used more than once over stands out. */
function times(value: number): string {
  return value > 1 ? `**${short(value)}**` : short(value);
}

function us(value: number): string {
  return `${short(value)} µs`;
}

function millions(addresses: number): string {
  return addresses >= 1e9 ? `${addresses / 1e9} billion` : `${addresses / 1e6} million`;
}

/** Two significant digits: more would promise what an estimate cannot keep. */
function short(value: number): string {
  const rounded = Number(value.toPrecision(value >= 1_000 || Number.isInteger(value) ? 3 : 2));
  return rounded.toLocaleString('en-US', { maximumSignificantDigits: 5 });
}
