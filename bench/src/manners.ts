/**
 * `npm run bench:manners`: what receivers see of us on a day of simulated time, with default limits. 20,000 addresses
 * over 4,000 domains, six providers among their hosts, a fifth of them dead; three accounts, one of them dirty.
 */
import { parseArgs } from 'node:util';
import type { CanonicalHost } from '@mailproof/engine';
import { mostWithin, type ProviderSeen } from './manners/receivers.ts';
import { addressOf, simulateDay, type Day, type List, type Question } from './manners/simulate-day.ts';
import { ipProfiles } from '../../engine/src/politeness/ip-profile.ts';
import { short } from './results/numbers.ts';
import { publish } from './results/publish.ts';
import { table } from './results/table.ts';

const { values: wish } = parseArgs({
  options: {
    /** A tenth of the addresses. */
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

/** Domains with the same kind of host: how many, how many addresses at each, and where their mail goes. */
type Crowd = { name: string; domains: number; each: number; hostOf: (domain: string, n: number) => string };

const crowds: readonly Crowd[] = [
  { name: 'gmail.com', domains: 1, each: 3_600, hostOf: () => 'gmail-smtp-in.l.google.com' },
  { name: 'outlook.com', domains: 1, each: 1_800, hostOf: () => 'outlook-com.olc.protection.outlook.com' },
  { name: 'icloud.com', domains: 1, each: 600, hostOf: () => 'mx01.mail.icloud.com' },
  { name: 'workspace', domains: 900, each: 3, hostOf: () => 'aspmx.l.google.com' },
  {
    name: 'tenant',
    domains: 900,
    each: 3,
    hostOf: (domain) => `${domain.replaceAll('.', '-')}.mail.protection.outlook.com`,
  },
  { name: 'shop', domains: 200, each: 3, hostOf: () => 'mailstore1.secureserver.net' },
  { name: 'club', domains: 197, each: 4, hostOf: () => 'in1-smtp.messagingengine.com' },
  { name: 'own', domains: 1_800, each: 4, hostOf: (domain) => `mx.${domain}` },
];

const accounts = [
  { account: 'clean one', deadPercent: 5 },
  { account: 'clean two', deadPercent: 5 },
  { account: 'dirty', deadPercent: 50 },
];
const dayMs = 86_400_000;

const lists = describeLists();
const startedAt = performance.now();
const day = await simulateDay(lists);
const realSeconds = (performance.now() - startedAt) / 1_000;
const checks = checksOf(day);
publish({ name: 'manners', lines: describe(day), figures: { ...figuresOf(day), checks } }, wish);
if (checks.some(({ isMet }) => !isMet)) process.exitCode = 1;

/** Mailboxes go to the accounts in turn; which are dead follows from their number. */
function describeLists(): List[] {
  const all = accounts.map(({ account }) => ({
    account,
    questions: [] as Question[],
    singles: [] as Question[],
  }));
  let number = 0;
  for (const { name, domains, each, hostOf } of crowds)
    for (let n = 0; n < domains; n += 1) {
      const domain = domains === 1 ? name : `${name}${n}.example`;
      const count = wish.quick ? Math.ceil(each / (domains === 1 ? 10 : 1)) : each;
      if (wish.quick && n % 10 !== 0) continue;
      for (let mailbox = 0; mailbox < count; mailbox += 1) {
        const owner = number % accounts.length;
        const deadPercent = accounts[owner]?.deadPercent ?? 0;
        // Multiplied by a prime, so that the dead ones are spread evenly.
        const isDead = (Math.floor(number / accounts.length) * 37) % 100 < deadPercent;
        const question = questionAt(hostOf(domain, n), { email: `person${number}@${domain}`, isDead });
        all[owner]?.questions.push(question);
        if (!isDead && all[owner] !== undefined && number % 97 < 3 && all[owner].singles.length < 60)
          all[owner].singles.push(
            questionAt(hostOf(domain, n), { email: `single${number}@${domain}`, isDead }),
          );
        number += 1;
      }
    }
  for (const list of all) shuffle(list.questions);
  return all;
}

function questionAt(host: string, { email, isDead }: { email: string; isDead: boolean }): Question {
  return { address: addressOf(email), host: host as CanonicalHost, ip: addressFor(host), isDead };
}

/** Some address for a host, always the same. */
function addressFor(host: string): string {
  const sum = Array.from(host).reduce((value, letter) => (value * 31 + letter.charCodeAt(0)) % 16_000_000, 7);
  return `11.${(sum >> 16) & 255}.${(sum >> 8) & 255}.${sum & 255}`;
}

/** Always the same order. */
function shuffle(items: Question[]): void {
  let seed = 42;
  for (let last = items.length - 1; last > 0; last -= 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const other = seed % (last + 1);
    [items[last], items[other]] = [items[other] as Question, items[last] as Question];
  }
}

type Check = { promise: string; found: string; isMet: boolean };

function checksOf({ seen, accounts: days }: Day): Check[] {
  const reports = seen.report();
  const { connectionsPerSecond, burst } = ipProfiles.established;
  const rates = [...seen.connections.values()];
  const most = (spanMs: number): number => Math.max(0, ...rates.map((times) => mostWithin(times, spanMs)));
  const braked = reports.filter(({ policy }) => policy.brakes);
  const beyond = Math.max(0, ...braked.map(({ beyondBudget }) => beyondBudget));
  const free = 10 * accounts.length;
  const within = (wanted: (one: ProviderSeen) => boolean): boolean => reports.every(wanted);
  const [, , dirty] = days;
  const slowestClean = Math.max(...days.slice(0, 2).map(({ tookMs }) => tookMs));
  return [
    {
      promise: `connections of an address: ${connectionsPerSecond}/s, burst ${burst}`,
      found: `${most(1_000)} in a second, ${most(60_000)} in a minute at most`,
      isMet: most(1_000) <= burst + connectionsPerSecond && most(60_000) <= burst + 60 * connectionsPerSecond,
    },
    {
      promise: 'connections a minute to each group, as configured',
      found: `${Math.max(...reports.map(({ mostConnectionsAMinute }) => mostConnectionsAMinute))} at most`,
      isMet: within((one) => one.mostConnectionsAMinute <= one.policy.politeness.connectionsPerMinute),
    },
    {
      promise: 'recipients and refusals in a conversation, as configured',
      found: `${Math.max(...reports.map((one) => one.mostRecipientsInOne))} and ${Math.max(...reports.map((one) => one.mostRefusalsInOne))} at most`,
      isMet: within(
        (one) =>
          one.mostRecipientsInOne <= one.policy.politeness.recipientsPerConversation &&
          one.mostRefusalsInOne <= one.policy.politeness.refusalsPerConversation,
      ),
    },
    {
      promise: `unknown recipients of a provider and address within the brake (${free} free ones for new accounts aside)`,
      found: `${beyond} beyond at most`,
      isMet: beyond <= free,
    },
    {
      promise: 'every address is answered within the day',
      found: `${short(days.reduce((sum, { answered }) => sum + answered, 0))} of ${short(days.reduce((sum, { addresses }) => sum + addresses, 0))}`,
      isMet: days.every(({ answered, addresses, tookMs }) => answered === addresses && tookMs <= dayMs),
    },
    {
      promise: 'the dirty account waits longest',
      found: `${hours(dirty?.tookMs ?? 0)} against ${hours(slowestClean)}`,
      isMet: (dirty?.tookMs ?? 0) >= slowestClean,
    },
  ];
}

function figuresOf({ seen, accounts: days }: Day) {
  return {
    providers: seen
      .report()
      .filter(({ policy }) => policy.brakes)
      .map(({ policy, ...figures }) => ({ ...figures, limits: policy.politeness })),
    accounts: days,
  };
}

function describe({ seen, accounts: days }: Day): string[] {
  const reports = seen.report();
  const providers = reports.filter(({ policy }) => policy.brakes);
  const others = reports.filter(({ policy }) => !policy.brakes);
  const addresses = days.reduce((sum, one) => sum + one.addresses, 0);
  return [
    '# A day of manners',
    '',
    `A day of simulated time with default limits and the profile \`established\`: ${short(addresses)} addresses over ${short(crowds.reduce((sum, { domains }) => sum + domains, 0))} domains and six providers, a fifth of them dead, lists of three accounts of which one is dirty, and single verifications beside them, from two egress addresses. The scheduler, the pacer, the brake and the routes are the engine's own; the mail hosts are scripted and count what they see. It took ${short(realSeconds)} s of real time.`,
    '',
    ...table(
      ['promise', 'found', ''],
      checks.map(({ promise, found, isMet }) => [promise, found, isMet ? 'met' : '**not met**']),
    ),
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
      ['account', 'addresses', 'answered', 'list done after', 'singles', 'p50', 'p95', 'slowest'],
      days.map(({ account, addresses: all, answered, tookMs, singleWaitsMs }) => [
        account,
        short(all),
        short(answered),
        hours(tookMs),
        short(singleWaitsMs.length),
        ...[0.5, 0.95, 1].map((part) => seconds(quantile(singleWaitsMs, part))),
      ]),
    ),
  ];
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

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

function hours(ms: number): string {
  return ms < 3_600_000 ? `${(ms / 60_000).toFixed(0)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
