/**
 * The mail internet of the drill: a few companies whose mail hosts tell the truth at once. So the right answer for each
 * address is known, and every other answer is a mistake of ours.
 */
import type { WorldDescription } from '@mailproof/world';

export type KnownAddress = { email: string; truth: 'safe' | 'invalid' | 'catch_all' };

/** All mail hosts belong to one group, named after its registered domain. */
const group = 'drill.test';
const companies = ['north', 'south', 'east', 'west'].map((name) => `${name}.${group}`);
const openCompany = `open.${group}`;
/** More than a run asks for. */
const peoplePerCompany = 10_000;

/** Records live for a second, so that a resolver that turns is noticed at once. */
const ttl = 1;
const latencyMs = 10;

export function drillWorld(): WorldDescription {
  const people = Object.fromEntries(
    Array.from({ length: peoplePerCompany }, (_, n) => [`person${n}`, 'exists' as const]),
  );
  const all = [...companies, openCompany];
  return {
    zones: Object.fromEntries(all.map((domain) => [domain, { mx: [[10, `mx.${domain}`]], ttl }])),
    hosts: {
      ...Object.fromEntries(companies.map((domain) => [`mx.${domain}`, { mailboxes: people, latencyMs }])),
      [`mx.${openCompany}`]: { temper: { catchAll: true }, latencyMs },
    },
  };
}

/**
 * Lifts the limits per mail host: the drill sends all its addresses to five of them. The ownership of the egress address
 * stays as in production, which `MAILPROOF_PACING=off` would end.
 */
export const providersFile = {
  providers: {
    [group]: {
      politeness: {
        conversationsPerAddress: 200,
        conversationsPerNetwork: 1_000,
        conversationsPerGroup: 1_000,
        conversationsPerGroupAtMost: 1_000,
        connectionsPerSecond: 1_000,
        connectionsPerMinute: 60_000,
        manyUnknownPercent: 100,
        mostUnknownPercent: 100,
      },
    },
  },
};

/** The question with this number: living, dead and catch-all mailboxes and dead domains in turn, each address once. */
export function questionOf(number: number): KnownAddress {
  const company = companies[number % companies.length] ?? openCompany;
  const kinds: readonly KnownAddress[] = [
    { email: `person${Math.floor(number / 2) % peoplePerCompany}@${company}`, truth: 'safe' },
    { email: `nobody${number}@${company}`, truth: 'invalid' },
    { email: `anybody${number}@${openCompany}`, truth: 'catch_all' },
    { email: `somebody@gone${number}.${group}`, truth: 'invalid' },
  ];
  // Of fifteen addresses seven live, four are dead, three are at a catch-all domain and one at none.
  const kind = [0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 3][number % 15] ?? 0;
  return kinds[kind] ?? { email: `nobody${number}@${company}`, truth: 'invalid' };
}
