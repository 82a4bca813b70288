import type { Clock } from '../clock.ts';
import { isFields } from '../memory.ts';
import { describeRest, hearRest, readRest, type KeptRest } from './keep-rests.ts';
import type { TurnLedger } from './keep-turns.ts';
import type { Record, RecordBook } from './record.ts';

/**
 * What goes with a turn from one process to the next: the connections of the last minute and how the host took them.
 * With the turn of a network go the records of its addresses.
 */
type Passed = { ages: number[]; allowed: number | null; clean: number; rest: KeptRest };

const minuteMs = 60_000;

/** Two machines' clocks agree but for this; a connection is rather taken for later than for earlier. */
const clockSlackMs = 100;

export function createTurnLedger(book: RecordBook, clock: Clock): TurnLedger {
  const addressesOf = (key: string): string[] => {
    const since = clock.now() - minuteMs;
    const addresses = book.find(key)?.addresses ?? new Map<string, number>();
    return [...addresses].filter(([, at]) => at > since).map(([address]) => `address ${address}`);
  };
  return {
    isOpen: (key) => (book.find(key)?.open ?? 0) > 0,
    save: (key) =>
      Object.fromEntries([key, ...addressesOf(key)].map((one) => [one, passOn(book.of(one), clock)])),
    load({ key, state, agoMs }) {
      if (!isFields(state)) return;
      for (const [one, value] of Object.entries(state)) {
        const passed = readPassed(value);
        if (passed === undefined) continue;
        const record = book.of(one);
        takeOver(record, { passed, agoMs }, clock);
        const last = record.openedAt.at(-1);
        if (one !== key && last !== undefined) noteAddress(book.of(key), one.slice('address '.length), last);
      }
    },
    recent: () => book.activeAfter(clock.now() - minuteMs).filter((key) => !key.startsWith('address ')),
  };
}

function passOn(record: Record, clock: Clock): Passed {
  const now = clock.now();
  const ages = record.openedAt.map((at) => Math.floor(now - at)).filter((age) => age < minuteMs);
  const { allowed = null, clean } = record;
  return { ages, allowed, clean, rest: describeRest(record, clock) };
}

function takeOver(record: Record, said: { passed: Passed; agoMs: number }, clock: Clock): void {
  const { passed, agoMs } = said;
  const now = clock.now();
  record.openedAt = passed.ages.map((age) => now - Math.max(0, age + agoMs - clockSlackMs));
  hearRest(record, { kept: passed.rest, sinceMs: agoMs }, clock);
  record.allowed = passed.allowed ?? undefined;
  record.clean = passed.clean;
}

/** A network's addresses are forgotten a minute after they were last connected to. */
export function noteAddress(network: Record, address: string, at: number): void {
  const addresses = (network.addresses ??= new Map());
  addresses.delete(address);
  addresses.set(address, at);
  for (const [one, last] of addresses) {
    if (last > at - minuteMs) break;
    addresses.delete(one);
  }
}

function readPassed(value: unknown): Passed | undefined {
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
