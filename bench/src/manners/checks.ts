import { ipProfiles } from '../../../engine/src/politeness/ip-profile.ts';
import { exact, hours, short } from '../results.ts';
import type { Learnt, Day } from './simulate-day.ts';
import { mostWithin, ban, dayMs, hourMs, listing, type ProviderSeen, type Said } from './scripted-world.ts';

/** The promises of the day, each with the figure that receivers saw. */
export type Check = { promise: string; found: string; isMet: boolean };

export function checksOf(day: Day): Check[] {
  const history = addressHistoryOf(day);
  return [...volumeChecks(day), ...accountChecks(day), ...listingChecks(history), ...banChecks(history)];
}

function volumeChecks({ seen, accounts }: Day): Check[] {
  const reports = seen.report();
  const { connectionsPerSecond, burst } = ipProfiles.established;
  const rates = [...seen.connections.values()];
  const most = (spanMs: number): number => Math.max(0, ...rates.map((times) => mostWithin(times, spanMs)));
  const braked = reports.filter(({ policy }) => policy.brakes);
  const beyond = Math.max(0, ...braked.map(({ beyondBudget }) => beyondBudget));
  const free = 10 * accounts.length;
  const within = (wanted: (one: ProviderSeen) => boolean): boolean => reports.every(wanted);
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
  ];
}

function accountChecks({ accounts, said }: Day): Check[] {
  const sum = (of: (one: Day['accounts'][number]) => number): number =>
    accounts.reduce((total, one) => total + of(one), 0);
  const [, , dirty] = accounts;
  const slowestClean = Math.max(...accounts.slice(0, 2).map(({ tookMs }) => tookMs));
  const refusals = said.filter(({ what }) => what !== 'confirmed_by_list').length;
  const all = sum(({ addresses }) => addresses);
  const settled = sum(({ answered, refused, putOff }) => answered + refused + putOff);
  return [
    {
      promise: 'every address is answered within the day, unless its host refuses ours',
      found: `${exact(sum(({ answered }) => answered))} of ${exact(all)}; ${exact(sum(({ refused }) => refused))} refused, ${exact(sum(({ putOff }) => putOff))} left to the next day by the ban`,
      isMet: settled === all && sum(({ refused }) => refused) <= refusals,
    },
    {
      promise: 'the dirty account waits longest',
      found: `${hours(dirty?.tookMs ?? 0)} against ${hours(slowestClean)}`,
      isMet: (dirty?.tookMs ?? 0) >= slowestClean,
    },
  ];
}

/** The history of our addresses: the words of hosts, the closures and bans that followed, and the connections since. */
type AddressHistory = {
  /** How often hosts refused us for the listing, until a look-up had confirmed it. */
  refusalsBeforeConfirmed: number;
  confirmedAt: number;
  closedAt: number;
  openedAt: number;
  /** Connections from the listed address, from the confirmation until it was open again. */
  furtherConnections: number;
  /** Connections of the other address in the same time. */
  connectionsOfOther: number;
  /** Connections of the listed address after it was open again. */
  connectionsAfterwards: number;
  claims: number;
  /** Hours of the day in which a liar spoke. */
  hoursOfClaims: number;
  closures: number;
  latchedAt: number;
  bannedUntil: number;
  connectionsWhileBanned: number;
  /** Addresses that wait for the end of the ban, because the other egress address may not ask for them instead. */
  putOff: number;
  /** The provider from the other address, and the others from the banned one, after the ban. */
  connectionsBesideBan: { otherAddress: number; otherHosts: number };
  told: readonly { at: number; line: string }[];
};

export function addressHistoryOf({ seen, said, learnt, told, accounts }: Day): AddressHistory {
  const firstSaid = (what: Said['what']): number => said.find((one) => one.what === what)?.at ?? Infinity;
  const firstLearnt = (kind: Learnt['kind'], from = 0): number =>
    learnt.find((one) => one.kind === kind && one.at >= from)?.at ?? Infinity;
  const confirmedAt = firstSaid('confirmed_by_list');
  const closedAt = firstLearnt('listed');
  const openedAt = firstLearnt('open', closedAt);
  const latched = learnt.find((one) => one.kind === 'banned');
  const latchedAt = latched?.at ?? Infinity;
  const from = (egress: string): readonly number[] => seen.connections.get(egress) ?? [];
  const [listed, other] = [from(listing.egress), from(ban.egress)];
  const atProvider = seen.connectionsAt(ban.group, ban.egress);
  const claims = said.filter(({ what }) => what === 'claimed');
  return {
    refusalsBeforeConfirmed: said.filter(({ what, at }) => what === 'refused_as_listed' && at < confirmedAt)
      .length,
    confirmedAt,
    closedAt,
    openedAt,
    furtherConnections: between(listed, confirmedAt, openedAt),
    connectionsOfOther: between(other, confirmedAt, openedAt),
    connectionsAfterwards: between(listed, openedAt, Infinity),
    claims: claims.length,
    hoursOfClaims: new Set(claims.map(({ at }) => Math.floor(at / hourMs))).size,
    closures: countClosings(learnt),
    latchedAt,
    bannedUntil: latched?.until ?? 0,
    connectionsWhileBanned: between(atProvider, latchedAt, Infinity),
    putOff: accounts.reduce((sum, { putOff }) => sum + putOff, 0),
    connectionsBesideBan: {
      otherAddress: between(seen.connectionsAt(ban.group, listing.egress), latchedAt, Infinity),
      otherHosts: between(other, latchedAt, Infinity) - between(atProvider, latchedAt, Infinity),
    },
    told,
  };
}

function between(times: readonly number[], from: number, until: number): number {
  return times.filter((at) => at >= from && at < until).length;
}

/** A closure is written down again with every look-up; only the first of them closes. */
function countClosings(learnt: readonly Learnt[]): number {
  const closed = new Set<string>();
  let closings = 0;
  for (const { kind, egress } of learnt) {
    if (kind === 'open') closed.delete(egress);
    if (kind !== 'listed' && kind !== 'suspected') continue;
    if (!closed.has(egress) || kind === 'suspected') closings += 1;
    closed.add(egress);
  }
  return closings;
}

const furtherAtMost = 5;

function listingChecks(history: AddressHistory): Check[] {
  const { furtherConnections, connectionsOfOther, connectionsAfterwards, openedAt, closedAt } = history;
  const opensAfter = openedAt - listing.until;
  return [
    {
      promise: `a listed address closes within ${furtherAtMost} further connections of the confirmation`,
      found: `${furtherConnections} further`,
      isMet: Number.isFinite(closedAt) && furtherConnections <= furtherAtMost,
    },
    {
      promise: 'the other address goes on meanwhile',
      found: `${short(connectionsOfOther)} connections`,
      isMet: connectionsOfOther > 0,
    },
    {
      promise: 'it opens within an hour of its removal from the list',
      found: `after ${hours(opensAfter)}; ${short(connectionsAfterwards)} connections since`,
      isMet: opensAfter >= 0 && opensAfter <= hourMs && connectionsAfterwards > 0,
    },
    {
      promise: 'liars never close an address',
      found: `${short(history.claims)} claims in ${history.hoursOfClaims} hours; ${history.closures} closure, that of the listing`,
      isMet: history.hoursOfClaims >= 23 && history.closures === 1,
    },
  ];
}

function banChecks(history: AddressHistory): Check[] {
  const { latchedAt, bannedUntil, connectionsWhileBanned, putOff } = history;
  const { otherAddress, otherHosts } = history.connectionsBesideBan;
  const line = history.told.find(({ at }) => at === latchedAt)?.line ?? '';
  return [
    {
      promise:
        'a provider that bans an address is not asked from it for a day, nor from another instead; told',
      found: `${connectionsWhileBanned} connections, ${exact(putOff)} addresses wait; banned for ${hours(bannedUntil - latchedAt)}`,
      isMet:
        connectionsWhileBanned === 0 &&
        putOff > 0 &&
        Math.abs(bannedUntil - latchedAt - dayMs) < 1_000 &&
        line.startsWith(`${ban.group} bans egress ${ban.egress}`),
    },
    {
      promise: 'the other address and other hosts go on beside the ban',
      found: `${short(otherAddress)} and ${short(otherHosts)} connections`,
      isMet: otherAddress > 0 && otherHosts > 0,
    },
  ];
}
