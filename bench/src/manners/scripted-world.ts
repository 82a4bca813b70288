import type { Clock } from '@mailproof/engine';
import type { HostPolicy, PolicyBook } from '../../../engine/src/politeness/policy.ts';
import type { AsksIpv4 } from '../../../engine/src/reputation/block-lists.ts';

/** Time that stands still until it is moved to the next timer: a day passes in seconds. */
export type SimulatedClock = Clock & {
  /** Moves to the next timer and calls it; false if there is none until then. */
  step(until: number): boolean;
};

type Timer = { at: number; number: number; callback: (() => void) | undefined };

export function createSimulatedClock(): SimulatedClock {
  const heap: Timer[] = [];
  let now = 0;
  let made = 0;

  return {
    now: () => now,
    after(ms, callback) {
      const timer: Timer = { at: now + Math.max(0, ms), number: (made += 1), callback };
      push(heap, timer);
      return () => (timer.callback = undefined);
    },
    step(until) {
      for (let first = heap[0]; first !== undefined && first.at <= until; first = heap[0]) {
        pop(heap);
        if (first.callback === undefined) continue;
        now = Math.max(now, first.at);
        first.callback();
        return true;
      }
      return false;
    },
  };
}

/** Ends when so much of the simulated time has passed. */
export function pause(ms: number, clock: SimulatedClock): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Of two at the same time, the one that was set first. */
function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.number < other.number);
}

function push(heap: Timer[], timer: Timer): void {
  let index = heap.push(timer) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(timer, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
    if (child === undefined || !isBefore(child, last)) break;
    heap[index] = child;
    index = child === left ? 2 * index + 1 : 2 * index + 2;
  }
  heap[index] = last;
}

type Egress = string;

/** The receivers' own records of us: connections and recipients, with egress address and time. */
export type Seen = {
  connected(host: string, egress: Egress, at: number): Conversation;
  report(): ProviderSeen[];
  /** When each egress address was seen, at all hosts together. */
  connections: Map<Egress, number[]>;
  /** The same at one group. */
  connectionsAt(group: string, egress: Egress): readonly number[];
};

type Conversation = { named(recipient: Named): void };
type Named = { at: number; said: 'taken' | 'unknown' | 'refused'; isMadeUp: boolean };

export type ProviderSeen = {
  group: string;
  policy: HostPolicy;
  conversations: number;
  recipients: number;
  unknown: number;
  madeUp: number;
  /** The most of any minute, from one egress address. */
  mostConnectionsAMinute: number;
  mostUnknownAMinute: number;
  /** How far the unknown recipients of one address ever went beyond the budget of the brake, in recipients. */
  beyondBudget: number;
  mostRecipientsInOne: number;
  mostRefusalsInOne: number;
};

type At = { connections: number[]; named: Named[] };
type Group = { policy: HostPolicy; at: Map<Egress, At>; mostRecipients: number; mostRefusals: number };

const minuteMs = 60_000;

export function createReceivers(policies: PolicyBook): Seen {
  const groups = new Map<string, Group>();
  const connections = new Map<Egress, number[]>();

  function connected(host: string, egress: Egress, at: number): Conversation {
    const policy = policies.policyFor(host);
    const known = groups.get(policy.group) ?? {
      policy,
      at: new Map<Egress, At>(),
      mostRecipients: 0,
      mostRefusals: 0,
    };
    groups.set(policy.group, known);
    const here = known.at.get(egress) ?? { connections: [], named: [] };
    known.at.set(egress, here);
    here.connections.push(at);
    const fromHere = connections.get(egress) ?? [];
    connections.set(egress, fromHere);
    fromHere.push(at);
    const one = { recipients: 0, refusals: 0 };
    return {
      named(recipient) {
        here.named.push(recipient);
        one.recipients += 1;
        if (recipient.said !== 'taken') one.refusals += 1;
        known.mostRecipients = Math.max(known.mostRecipients, one.recipients);
        known.mostRefusals = Math.max(known.mostRefusals, one.refusals);
      },
    };
  }

  function reportOf(group: string, { policy, at, mostRecipients, mostRefusals }: Group): ProviderSeen {
    const all = [...at.values()];
    const named = all.flatMap((one) => one.named);
    const most = (times: (one: At) => number[]): number =>
      Math.max(0, ...all.map((one) => mostWithin(times(one), minuteMs)));
    return {
      group,
      policy,
      conversations: all.reduce((sum, one) => sum + one.connections.length, 0),
      recipients: named.length,
      unknown: named.filter(isUnknown).length,
      madeUp: named.filter(({ isMadeUp }) => isMadeUp).length,
      mostConnectionsAMinute: most((one) => one.connections),
      mostUnknownAMinute: most((one) => one.named.filter(isUnknown).map(({ at: time }) => time)),
      beyondBudget: Math.max(0, ...all.map((one) => beyondBudget(one.named, policy))),
      mostRecipientsInOne: mostRecipients,
      mostRefusalsInOne: mostRefusals,
    };
  }

  return {
    connected,
    connections,
    connectionsAt: (group, egress) => groups.get(group)?.at.get(egress)?.connections ?? [],
    report: () => [...groups].map(([group, seen]) => reportOf(group, seen)),
  };
}

function isUnknown({ said }: Named): boolean {
  return said === 'unknown';
}

/** The most of these times, in order, that fall into one span. */
export function mostWithin(times: readonly number[], spanMs: number): number {
  let most = 0;
  let from = 0;
  for (const [index, at] of times.entries()) {
    while ((times[from] ?? Infinity) <= at - spanMs) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

/** The promise of the brake, counted from outside: a rate per minute, saved for a minute, and a share of the others. */
function beyondBudget(named: readonly Named[], { politeness }: HostPolicy): number {
  const { unknownPerMinute: perMinute, unknownPercent: percent } = politeness;
  const earned = percent / (100 - percent);
  let left = perMinute;
  let worst = 0;
  let since = 0;
  for (const one of named) {
    const { at } = one;
    const filled = Math.min(perMinute, left + ((at - since) * perMinute) / minuteMs);
    left = Math.min(perMinute, filled + (isUnknown(one) ? -1 : earned));
    since = at;
    worst = Math.min(worst, left);
  }
  return Math.ceil(-worst);
}

/**
 * The events of the day for our two egress addresses. Only mail hosts and block lists know of it; the engine
 * has to find it out.
 *
 *     00:00     08:00:01                 13:20                16:00:01
 *       liars say all day that both addresses are on a list ─────────────────▶
 *                 the first is listed ──▶ removed
 *                                                             outlook bans the second ─▶
 */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Connections that mail hosts see, by route. */
export const egressAddresses = { first: '203.0.113.10', second: '203.0.113.20' } as const;

export const listing = {
  egress: 'first',
  list: 'zen.spamhaus.org',
  from: 8 * hourMs + 1_000,
  until: 13 * hourMs + hourMs / 3,
} as const;

export const ban = { egress: 'second', group: 'outlook', from: 16 * hourMs + 1_000 } as const;

export type Temper =
  | { kind: 'honest' }
  /** Refuses addresses that are on a block list. */
  | { kind: 'consults' }
  /** Says of everybody that a list has it. */
  | { kind: 'claims'; list: string };

export type ScriptedWorld = {
  /** Why a host refuses a recipient from one of our addresses, if it does. */
  refusalOf(asked: { temper: Temper; group: string; egress: string }): string | undefined;
  askIpv4: AsksIpv4;
  /** Replies to us, in order. */
  said: Said[];
};

export type Said = {
  at: number;
  what: 'refused_as_listed' | 'claimed' | 'banned' | 'confirmed_by_list';
  egress: string;
};

const dnsAnswerMs = 40;

export function createScriptedWorld(clock: SimulatedClock): ScriptedWorld {
  const said: Said[] = [];
  const say = (what: Said['what'], egress: string): void => void said.push({ at: clock.now(), what, egress });
  const isListed = (): boolean => clock.now() >= listing.from && clock.now() < listing.until;

  function refusalOf({ temper, group, egress }: Parameters<ScriptedWorld['refusalOf']>[0]) {
    const address = egressAddresses[egress as keyof typeof egressAddresses];
    if (group === ban.group && egress === ban.egress && clock.now() >= ban.from) {
      say('banned', egress);
      return `550 5.7.1 Unfortunately, messages from [${address}] weren't sent. Part of their network is on our block list (S3140).`;
    }
    if (temper.kind === 'claims') {
      say('claimed', egress);
      return `554 5.7.1 Service unavailable; client host [${address}] blocked using ${temper.list}`;
    }
    if (temper.kind === 'honest' || egress !== listing.egress || !isListed()) return undefined;
    say('refused_as_listed', egress);
    return `554 5.7.1 Service unavailable; client host [${address}] blocked using ${listing.list}`;
  }

  const listedName = `${reversed(egressAddresses[listing.egress])}.${listing.list}`;

  /** Answers as every block list does: it has its test point, and while it lists us it has our address. */
  const askIpv4: AsksIpv4 = async (name) => {
    await pause(dnsAnswerMs, clock);
    const isOurs = name === listedName && isListed();
    if (isOurs) say('confirmed_by_list', listing.egress);
    return isOurs || name.startsWith('2.0.0.127.')
      ? { kind: 'found', records: ['127.0.0.2'] }
      : { kind: 'no_such_name' };
  };

  return { refusalOf, askIpv4, said };
}

function reversed(address: string): string {
  return address.split('.').reverse().join('.');
}
