import type { Clock } from '../clock.ts';
import { isFields } from '../memory.ts';
import type { HostHistories, HostHistory } from './host-history.ts';
import { describeRest, hearRest, readRest, type KeptRest } from './keep-rests.ts';
import type { HeldLease } from './lease-store.ts';

/**
 * What goes with a host lease from one process to the next: the connections of the last minute and how the host took
 * them. The lease of a network carries the histories of its addresses.
 */
export type LeaseState = {
  isOpen(key: string): boolean;
  /** For the next holder. */
  save(key: string): unknown;
  load(lease: HeldLease): void;
  /** The keys of groups and networks that were talked to within the last minute. */
  recent(): string[];
};

/** One history as it is handed on. */
type PassedHistory = { ages: number[]; allowed: number | null; clean: number; rest: KeptRest };

const minuteMs = 60_000;

/** How far two machines' clocks may differ; a connection is taken for later rather than for earlier. */
const clockSlackMs = 100;

export function createLeaseState(histories: HostHistories, clock: Clock): LeaseState {
  const addressesOf = (key: string): string[] => {
    const since = clock.now() - minuteMs;
    const addresses = histories.find(key)?.addresses ?? new Map<string, number>();
    return [...addresses].filter(([, at]) => at > since).map(([address]) => `address ${address}`);
  };
  return {
    isOpen: (key) => (histories.find(key)?.open ?? 0) > 0,
    save: (key) =>
      Object.fromEntries([key, ...addressesOf(key)].map((one) => [one, passOn(histories.of(one), clock)])),
    load({ key, state, agoMs }) {
      if (!isFields(state)) return;
      for (const [one, value] of Object.entries(state)) {
        const passed = readPassed(value);
        if (passed === undefined) continue;
        const history = histories.of(one);
        takeOver(history, { passed, agoMs }, clock);
        const last = history.openedAt.at(-1);
        if (one !== key && last !== undefined)
          noteAddress(histories.of(key), one.slice('address '.length), last);
      }
    },
    recent: () => histories.activeAfter(clock.now() - minuteMs).filter((key) => !key.startsWith('address ')),
  };
}

function passOn(history: HostHistory, clock: Clock): PassedHistory {
  const now = clock.now();
  const ages = history.openedAt.map((at) => Math.floor(now - at)).filter((age) => age < minuteMs);
  const { allowed = null, clean } = history;
  return { ages, allowed, clean, rest: describeRest(history, clock) };
}

function takeOver(history: HostHistory, said: { passed: PassedHistory; agoMs: number }, clock: Clock): void {
  const { passed, agoMs } = said;
  const now = clock.now();
  history.openedAt = passed.ages.map((age) => now - Math.max(0, age + agoMs - clockSlackMs));
  hearRest(history, { kept: passed.rest, sinceMs: agoMs }, clock);
  history.allowed = passed.allowed ?? undefined;
  history.clean = passed.clean;
}

/** A network's addresses are forgotten a minute after they were last connected to. */
export function noteAddress(network: HostHistory, address: string, at: number): void {
  const addresses = (network.addresses ??= new Map());
  addresses.delete(address);
  addresses.set(address, at);
  for (const [one, last] of addresses) {
    if (last > at - minuteMs) break;
    addresses.delete(one);
  }
}

function readPassed(value: unknown): PassedHistory | undefined {
  if (!isFields(value)) return undefined;
  const { ages, allowed, clean } = value;
  const rest = readRest(value['rest']);
  if (rest === undefined || !Array.isArray(ages) || !ages.every(isNumber) || !isNumber(clean))
    return undefined;
  return { ages, allowed: isNumber(allowed) ? allowed : null, clean, rest };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
