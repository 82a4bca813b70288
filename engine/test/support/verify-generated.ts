import {
  generatePlace,
  type GeneratedAddress,
  type GeneratedPlace,
  type WorldDescription,
} from '@mailproof/world';
import type { Outcome } from '../../src/verify.ts';
import { startEngine, type EngineInWorld } from './start-engine.ts';

/** Verifies mail hosts made by chance, many in one world at a time, and compares each verdict with the truth. */

type Figures = {
  hosts: number;
  conversations: number;
  /** Addresses by status. */
  statuses: Record<string, number>;
  /** Conclusive verdicts that contradict the truth, in words. */
  wrong: string[];
};

/** Silence costs milliseconds; a machine that is busier than that gets `unknown`, which is never wrong. */
const limits = {
  connectMs: 2_000,
  bannerMs: 1_000,
  bulkBannerMs: 1_000,
  ehloMs: 1_000,
  mailMs: 400,
  rcptMs: 250,
  bulkRcptMs: 250,
  rsetMs: 250,
  quitMs: 120,
  smtpPhaseMs: 4_000,
  bulkSmtpPhaseMs: 4_000,
};

const placesAtOnce = 64;

export async function verifyGenerated(seeds: readonly number[], hostsInWorld = 500): Promise<Figures> {
  const figures: Figures = { hosts: 0, conversations: 0, statuses: {}, wrong: [] };
  for (let start = 0; start < seeds.length; start += hostsInWorld)
    await verifyWorld(seeds.slice(start, start + hostsInWorld).map(generatePlace), figures);
  return figures;
}

async function verifyWorld(places: readonly GeneratedPlace[], figures: Figures): Promise<void> {
  const world: WorldDescription = { zones: {}, hosts: {} };
  for (const place of places) {
    Object.assign(world.zones, place.world.zones);
    Object.assign(world.hosts, place.world.hosts);
  }
  const running = await startEngine(world, { limits });
  try {
    const queue = places.values();
    await Promise.all(
      Array.from({ length: placesAtOnce }, async () => {
        for (const place of queue) await verifyPlace(place, running, figures);
      }),
    );
    for (const place of places) noteCost(place, running, figures);
  } finally {
    await running.stop();
  }
}

/** The most conversations that an address costs, however a host behaves. */
const mostConversations = 10;

function noteCost(
  { seed, world, addresses, story }: GeneratedPlace,
  running: EngineInWorld,
  figures: Figures,
): void {
  for (const name of Object.keys(world.hosts)) {
    const { connections } = running.world.hosts[name]?.counts ?? { connections: 0 };
    figures.conversations += connections;
    if (connections > mostConversations * (addresses.length + 1))
      figures.wrong.push(
        `seed ${seed}: ${connections} conversations about ${addresses.length} addresses (${story})`,
      );
  }
}

const list = { urgency: 'bulk', account: 'list' } as const;

async function verifyPlace(
  place: GeneratedPlace,
  { verify }: EngineInWorld,
  figures: Figures,
): Promise<void> {
  const { addresses, asked } = place;
  figures.hosts += 1;
  const alone = asked === 'one_by_one' ? addresses : addresses.slice(0, asked === 'first_alone' ? 1 : 0);
  const check = (one: GeneratedAddress, outcome: Outcome): void => note({ place, one, outcome }, figures);
  for (const one of alone) check(one, await verify(one.address));
  const others = addresses.slice(alone.length);
  await Promise.all(others.map(async (one) => check(one, await verify(one.address, { asker: list }))));
}

type Verified = { place: GeneratedPlace; one: GeneratedAddress; outcome: Outcome };

function note({ place, one, outcome }: Verified, { statuses, wrong }: Figures): void {
  const status = outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
  statuses[status] = (statuses[status] ?? 0) + 1;
  if (outcome.kind !== 'verdict' || status === 'unknown') return;
  if (one.allowed.some((allowed) => allowed === status)) return;
  const heard = outcome.explanation.replies
    .map(({ phase, code, text }) => `${phase} ${code} ${text}`)
    .join(' / ');
  wrong.push(
    `seed ${place.seed}, ${place.asked}: ${one.address} is ${one.truth}, called ${status} (${place.story}): ${heard}`,
  );
}

/** Returns the figures on one line. */
export function told({ hosts, conversations, statuses, wrong }: Figures): string {
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const share = (100 * (statuses['unknown'] ?? 0)) / Math.max(1, all);
  const each = Object.entries(statuses).map(([status, count]) => `${status} ${count}`);
  return `${hosts} hosts, ${all} addresses, ${conversations} conversations: ${wrong.length} wrong, ${share.toFixed(1)} % unknown (${each.join(', ')})`;
}
