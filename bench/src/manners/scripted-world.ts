import type { AsksIpv4 } from '../../../engine/src/reputation/block-lists.ts';
import { pause, type SimulatedClock } from './simulated-clock.ts';

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
