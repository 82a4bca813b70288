import type { HostPolicy, PolicyBook } from '../../../engine/src/politeness/policy.ts';

type Egress = string;

/** What receivers saw of us, each by itself: connections and recipients, with the egress address and the time. */
export type Seen = {
  connected(host: string, egress: Egress, at: number): Conversation;
  report(): ProviderSeen[];
  /** When each egress address was seen, at all hosts together. */
  connections: Map<Egress, number[]>;
  /** The same at one group. */
  connectionsAt(group: string, egress: Egress): readonly number[];
};

export type Conversation = { named(recipient: Named): void };
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

/** What the brake promises, counted from outside: so many a minute, saved for a minute, and a share of the others. */
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
