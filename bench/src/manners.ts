/**
 * `npm run bench -- manners`: a day of simulated time as receivers see it, with default limits. 20,000 addresses over
 * 4,000 domains, six providers among their hosts, a fifth of them dead; three accounts, one of them dirty. One of our
 * two addresses is listed for hours, a provider bans the other, and liars speak all day.
 */
import { addressHistoryOf, checksOf, type Check } from './manners/checks.ts';
import { describeLists, domainCount } from './manners/lists.ts';
import { ban, egressAddresses, listing, type ProviderSeen } from './manners/scripted-world.ts';
import { simulateDay, type Day } from './manners/simulate-day.ts';
import {
  describeMachine,
  exact,
  hours,
  machineLines,
  publish,
  quantile,
  readWish,
  short,
  table,
  type Machine,
} from './results.ts';

export async function runManners(args: string[]): Promise<number> {
  const wish = readWish(args, {});
  const machine = describeMachine();
  const startedAt = performance.now();
  const day = await simulateDay(describeLists(wish));
  const realSeconds = (performance.now() - startedAt) / 1_000;
  const checks = checksOf(day);
  const lines = describeDay(day, { machine, checks, realSeconds });
  publish({ name: 'manners', lines, figures: { machine, ...figuresOf(day), checks } }, wish);
  return checks.some(({ isMet }) => !isMet) ? 1 : 0;
}

type RunFacts = { machine: Machine; checks: readonly Check[]; realSeconds: number };

function figuresOf(happened: Day) {
  return {
    providers: happened.seen
      .report()
      .filter(({ policy }) => policy.brakes)
      .map(({ policy, ...figures }) => ({ ...figures, limits: policy.politeness })),
    accounts: happened.accounts,
    addresses: addressHistoryOf(happened),
  };
}

function describeDay(happened: Day, { machine, checks, realSeconds }: RunFacts): string[] {
  const { seen, accounts: days } = happened;
  const reports = seen.report();
  const providers = reports.filter(({ policy }) => policy.brakes);
  const others = reports.filter(({ policy }) => !policy.brakes);
  const addresses = days.reduce((sum, one) => sum + one.addresses, 0);
  return [
    '# A day of manners',
    '',
    ...machineLines(machine),
    '',
    `A day of simulated time with default limits and the profile \`established\`: ${exact(addresses)} addresses over ${short(domainCount)} domains and six providers, a fifth of them dead, lists of three accounts of which one is dirty, and single verifications beside them, from two egress addresses. Half of each list comes at midnight, an eighth at eight and at four in the afternoon each, the rest one by one. outlook is spread over both addresses; every other group has one. The scheduler, the pacer, the brake, the routes and the watch over our reputation are the engine's own; mail hosts and block lists are scripted and count what they see. It took ${short(realSeconds)} s of real time.`,
    '',
    ...table(
      ['promise', 'found', ''],
      checks.map(({ promise, found, isMet }) => [promise, found, isMet ? 'met' : '**not met**']),
    ),
    '',
    '## What happened to the addresses',
    '',
    ...describeAddresses(happened),
    '',
    '## What providers saw',
    '',
    ...table(
      [
        'provider',
        'conversations',
        'recipients',
        'unknown',
        'of these made up',
        'share',
        'connections/min, one address',
        'unknown/min, one address',
        'beyond the brake',
      ],
      [...providers.map(rowOf), restRow(others)],
    ),
    '',
    'The last row is the worst of all other hosts; nothing brakes there.',
    '',
    '## What accounts waited for',
    '',
    ...table(
      [
        'account',
        'addresses',
        'answered',
        'refused',
        'left to the next day',
        "midnight's done after",
        'singles',
        'p50',
        'p95',
        'slowest',
      ],
      days.map(({ account, addresses: all, answered, refused, putOff, tookMs, singleWaitsMs }) => [
        account,
        ...[all, answered, refused, putOff].map(exact),
        hours(tookMs),
        short(singleWaitsMs.length),
        ...[0.5, 0.95, 1].map((part) => seconds(quantile(singleWaitsMs, part))),
      ]),
    ),
  ];
}

function describeAddresses(happened: Day): string[] {
  const history = addressHistoryOf(happened);
  const { first, second } = egressAddresses;
  const minute = (at: number): string => new Date(at).toISOString().slice(11, 19);
  const nextDay = (at: number): string => `${minute(at)} of the next day`;
  return table(
    ['time', 'address', 'what happened'],
    [
      [
        'all day',
        'both',
        `200 hosts claim a listing that is none: ${exact(history.claims)} times. Nothing closes.`,
      ],
      [minute(listing.from), `first, ${first}`, `${listing.list} lists it; 600 hosts consult that list.`],
      [
        minute(history.confirmedAt),
        'first',
        `A look-up confirms it, after ${history.refusalsBeforeConfirmed} refusals for the listing. The address closes; ${history.furtherConnections} further connections. The other one opens ${exact(history.connectionsOfOther)} until it is open again.`,
      ],
      [minute(listing.until), 'first', 'The list removes it.'],
      [
        minute(history.openedAt),
        'first',
        `The next look-up opens it; ${exact(history.connectionsAfterwards)} connections until the end of the day.`,
      ],
      [minute(ban.from), `second, ${second}`, `${ban.group} bans it (S3140).`],
      [
        minute(history.latchedAt),
        'second',
        `A conversation hears so. ${ban.group} is not asked from there until ${nextDay(history.bannedUntil)}: it sees ${history.connectionsWhileBanned} connections, and ${exact(history.connectionsBesideBan.otherAddress)} from the other address.`,
      ],
    ],
  );
}

function rowOf(one: ProviderSeen): string[] {
  return [
    one.group,
    short(one.conversations),
    short(one.recipients),
    short(one.unknown),
    short(one.madeUp),
    `${((100 * one.unknown) / Math.max(1, one.recipients)).toFixed(0)} %`,
    `${one.mostConnectionsAMinute} of ${one.policy.politeness.connectionsPerMinute}`,
    short(one.mostUnknownAMinute),
    one.policy.brakes ? short(one.beyondBudget) : '–',
  ];
}

function restRow(others: readonly ProviderSeen[]): string[] {
  const sum = (of: (one: ProviderSeen) => number): number =>
    others.reduce((total, one) => total + of(one), 0);
  const most = (of: (one: ProviderSeen) => number): number => Math.max(0, ...others.map(of));
  return [
    `${short(others.length)} other hosts`,
    short(sum((one) => one.conversations)),
    short(sum((one) => one.recipients)),
    short(sum((one) => one.unknown)),
    short(sum((one) => one.madeUp)),
    `${(
      (100 * sum((one) => one.unknown)) /
      Math.max(
        1,
        sum((one) => one.recipients),
      )
    ).toFixed(0)} %`,
    `${most((one) => one.mostConnectionsAMinute)} of ${most((one) => one.policy.politeness.connectionsPerMinute)}`,
    short(most((one) => one.mostUnknownAMinute)),
    '–',
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
