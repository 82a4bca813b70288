import { createBoundedCache } from '../bounded-cache.ts';
import { registrableDomain } from '../lists/domain-family.ts';
import { providerTable, providerOf } from '../replies/providers.ts';
import { builtInPolicies, defaultPoliteness, unpaced } from './built-in-policies.ts';
import type { PolicyFile, ProviderSetting, HostPolicy, Politeness, PolicyBook } from './policy.ts';

/**
 * The policy for a mail host, laid in layers, each over the one before and only as far as it states something. The
 * layers:
 *
 * 1. the defaults;
 * 2. the built-in policy of the host's group;
 * 3. whether the operator leaves that provider out;
 * 4. the operator's file for the group;
 * 5. the file for suffixes of the host's name, the longest last.
 *
 * A suffix does not make a group of its own: its hosts are still counted with the rest of their group, each against
 * its own limits.
 */
type PolicyBookParts = {
  file?: PolicyFile | undefined;
  /** `off` lifts every limit of rate and concurrency. */
  pacing: 'on' | 'off';
  /** Providers that the operator does not ask (`MAILPROOF_ASK_PROVIDERS`), unless the file asks them. */
  leftOut?: readonly string[] | undefined;
};

/** Policies do not change while the process lives, so an entry leaves only to make room for another. */
export const policiesRemembered = 20_000;

export function createPolicyBook({ file, pacing, leftOut = [] }: PolicyBookParts): PolicyBook {
  const remembered = createBoundedCache<HostPolicy>({ maxEntries: policiesRemembered });
  return {
    policyFor(mailHost) {
      const asked = remembered.peek(mailHost);
      if (asked !== undefined) return asked;
      const host = mailHost.toLowerCase().replace(/\.$/u, '');
      const known = remembered.peek(host);
      if (known !== undefined) return known;
      const policy = layPolicy(host, { leftOut, settings: file?.providers ?? noSettings });
      if (pacing === 'off') policy.politeness = withoutPace(policy.politeness);
      remembered.set(host, frozen(policy));
      return policy;
    },
  };
}

const builtInFor = new Map<string, ProviderSetting>(
  builtInPolicies.map((builtIn) => [builtIn.group, builtIn]),
);
const noSettings: PolicyFile['providers'] = new Map();

const unpacedByDefault = unpaced(defaultPoliteness);

/** Lifts the limits. Most hosts have the default policy, and share one result. */
function withoutPace(politeness: Politeness): Politeness {
  return politeness === defaultPoliteness ? unpacedByDefault : unpaced(politeness);
}

const notAsked: ProviderSetting = { asking: 'skip' };

type OperatorLayers = { leftOut: readonly string[]; settings: PolicyFile['providers'] };

function layPolicy(host: string, { leftOut, settings }: OperatorLayers): HostPolicy {
  const group = groupOf(host);
  const start: HostPolicy = {
    group,
    asking: 'probe',
    politeness: defaultPoliteness,
    routes: undefined,
    spread: 1,
    brakes: providerIds.has(group),
    countsUnknown: false,
  };
  const builtIn = builtInFor.get(group);
  const isLeftOut = leftOut.includes(group);
  if (builtIn === undefined && !isLeftOut && settings.size === 0) return start;
  const layers = [
    builtIn,
    isLeftOut ? notAsked : undefined,
    settings.get(group),
    ...(settings.size === 0 ? [] : suffixesOf(host).map((suffix) => settings.get(suffix))),
  ];
  const stated = layers.filter((layer) => layer !== undefined);
  const inAll = stated.findLast((layer) => layer.connectionsPerMinuteInAll !== undefined);
  const multiplies = stated.findLast((layer) => layer.multipliesLimits !== undefined);
  return shareOut(stated.reduce(layOver, start), {
    multiplies: multiplies?.multipliesLimits ?? false,
    inAll: inAll?.connectionsPerMinuteInAll,
  });
}

const providerIds: ReadonlySet<string> = new Set(providerTable.map(({ id }) => id));

/**
 * Shares a group's limits out over its egress addresses, at least one of each. More addresses bring no more volume,
 * unless the operator says so: receivers call many addresses that each do a little snowshoe, and list them together.
 */
function shareOut(
  policy: HostPolicy,
  { multiplies, inAll }: { multiplies: boolean; inAll: number | undefined },
): HostPolicy {
  const { spread, politeness } = policy;
  if (spread === 1 && inAll === undefined) return policy;
  const part = (limit: number): number => (multiplies ? limit : Math.max(1, Math.floor(limit / spread)));
  const perMinute =
    inAll === undefined ? part(politeness.connectionsPerMinute) : Math.max(1, Math.floor(inAll / spread));
  return {
    ...policy,
    politeness: {
      ...politeness,
      conversationsPerAddress: part(politeness.conversationsPerAddress),
      conversationsPerNetwork: part(politeness.conversationsPerNetwork),
      conversationsPerGroup: part(politeness.conversationsPerGroup),
      conversationsPerGroupAtMost: part(politeness.conversationsPerGroupAtMost),
      connectionsPerMinute: Math.min(politeness.connectionsPerMinute, perMinute),
      unknownPerMinute: part(politeness.unknownPerMinute),
    },
  };
}

function layOver(policy: HostPolicy, setting: ProviderSetting): HostPolicy {
  return {
    group: policy.group,
    asking: setting.asking ?? policy.asking,
    politeness: layPoliteness(policy.politeness, setting.politeness),
    routes: setting.routes ?? policy.routes,
    spread: setting.spread ?? policy.spread,
    brakes: policy.brakes || setting.countsUnknown === true,
    countsUnknown: setting.countsUnknown ?? policy.countsUnknown,
  };
}

/**
 * Lays one layer over another. The limit of a group never stands above the limit that it may grow to. If a layer
 * moves one of the two past the other, the stated one is meant and the other follows.
 */
function layPoliteness(under: Politeness, stated: Partial<Politeness> = {}): Politeness {
  const laid = { ...under, ...stated };
  if (laid.conversationsPerGroup <= laid.conversationsPerGroupAtMost) return laid;
  return stated.conversationsPerGroup === undefined
    ? { ...laid, conversationsPerGroup: laid.conversationsPerGroupAtMost }
    : { ...laid, conversationsPerGroupAtMost: laid.conversationsPerGroup };
}

/** Returns `.com`, `.example.com`, `.mx.example.com` for mx.example.com: a suffix takes in the bare name as well. */
function suffixesOf(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, index) => `.${labels.slice(index).join('.')}`).reverse();
}

/** One answer serves every caller, so none may change it. */
function frozen(policy: HostPolicy): HostPolicy {
  Object.freeze(policy.politeness);
  return Object.freeze(policy);
}

/**
 * Returns the group that a mail host is counted under: its provider, or its registered domain, or itself if its name
 * is a public suffix. Never the domain of a recipient: a thousand of those may share one host.
 */
export function groupOf(mailHost: string): string {
  return providerOf(mailHost)?.id ?? registrableDomain(mailHost) ?? mailHost;
}
