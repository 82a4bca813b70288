import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { emptyNamespace, isFields, type MemoryNamespace } from '../memory.ts';

/** Traits of a mail host from earlier conversations, so that the next conversation need not learn them again. */
export type HostTraits = {
  /** `demanded`: refuses mail without it. `broken`: offers STARTTLS, but the handshake fails. */
  tls?: 'demanded' | 'broken';
  /** Takes one recipient in a transaction and puts the second off. */
  oneRecipient?: true;
  /** Hangs up after this many refused recipients. */
  refusalsTaken?: number;
  /** Left in the middle of a larger group: this many recipients are named at once from then on. */
  recipientsPerGroup?: number;
  /** A made-up recipient beside others did them harm: it is named after them, in a group of its own. */
  madeUpLast?: true;
  /** Lost a reply, sent one too many, or did not answer QUIT: it gets one command at a time. */
  noPipelining?: true;
  /** Turned us away while another conversation of ours was open: it serves one client at a time. */
  oneClient?: true;
};

export type HostMemory = {
  recall(host: string): HostTraits;
  learn(host: string, traits: HostTraits): void;
};

export function createHostMemory(
  clock: Clock,
  limits: Limits,
  memory: MemoryNamespace = emptyNamespace,
): HostMemory {
  const traits = createBoundedCache<HostTraits>({ clock, maxEntries: limits.hostTraitEntries });
  const recall = (host: string): HostTraits => traits.get(host) ?? noTraits;
  memory.follow(({ key, value, lifeMs }) => {
    if (lifeMs <= 0) {
      traits.delete(key);
      return;
    }
    const longer = Math.max(Math.min(lifeMs, limits.hostTraitMs), traits.lifeOf(key));
    traits.set(key, joinTraits(recall(key), readTraits(value)), longer);
  });
  return {
    recall,
    learn(host, learnt) {
      const all = { ...recall(host), ...learnt };
      traits.set(host, all, limits.hostTraitMs);
      memory.learn(host, all, limits.hostTraitMs);
    },
  };
}

const noTraits: HostTraits = Object.freeze({});

/** Joins two engines' traits of one host: the traits of both, and of two that differ the more careful one. */
export function joinTraits(one: HostTraits, other: HostTraits): HostTraits {
  const tls = one.tls === 'broken' ? one.tls : (other.tls ?? one.tls);
  return {
    ...(tls === undefined ? {} : { tls }),
    ...flag('oneRecipient', one.oneRecipient ?? other.oneRecipient),
    ...count('refusalsTaken', lesser(one.refusalsTaken, other.refusalsTaken)),
    ...count('recipientsPerGroup', lesser(one.recipientsPerGroup, other.recipientsPerGroup)),
    ...flag('madeUpLast', one.madeUpLast ?? other.madeUpLast),
    ...flag('noPipelining', one.noPipelining ?? other.noPipelining),
    ...flag('oneClient', one.oneClient ?? other.oneClient),
  };
}

/** Reads the traits of a kept value, and nothing else. */
function readTraits(value: unknown): HostTraits {
  if (!isFields(value)) return {};
  const { tls, oneRecipient, refusalsTaken, recipientsPerGroup, madeUpLast } = value;
  return {
    ...(tls === 'demanded' || tls === 'broken' ? { tls } : {}),
    ...flag('oneRecipient', oneRecipient),
    ...count('refusalsTaken', refusalsTaken),
    ...count('recipientsPerGroup', recipientsPerGroup),
    ...flag('madeUpLast', madeUpLast),
    ...flag('noPipelining', value['noPipelining']),
    ...flag('oneClient', value['oneClient']),
  };
}

function lesser(one: number | undefined, other: number | undefined): number {
  return Math.min(one ?? Infinity, other ?? Infinity);
}

function flag<Name extends string>(name: Name, value: unknown): { [name in Name]?: true } {
  return value === true ? ({ [name]: true } as { [name in Name]: true }) : {};
}

function count<Name extends string>(name: Name, value: unknown): { [name in Name]?: number } {
  const isCount = Number.isSafeInteger(value) && Number(value) >= 1;
  return isCount ? ({ [name]: Number(value) } as { [name in Name]: number }) : {};
}
