import type { WorldDescription } from '@mailproof/world';
import { openFixture, type Fixture, type FixtureOptions } from '../../support/open-fixture.ts';

/**
 * A mail internet for load: one domain for each outcome of a verification. It accepts every local part, so that
 * every request can have its own address.
 */
const host = (domain: string) => ({ [domain]: { mx: [[10, `mx.${domain}`] as [number, string]] } });

/** The mailboxes of the greylisting host; it refuses unknown mailboxes at once. */
export const greylistedPeople = 4_000;

const regulars = Object.fromEntries(
  Array.from({ length: greylistedPeople }, (_, n) => [`regular${n}`, 'exists' as const]),
);

const loadWorld: WorldDescription = {
  zones: {
    ...host('catchall.test'),
    ...host('strict.test'),
    ...host('slow.test'),
    ...host('greylist.test'),
    ...host('blocked.test'),
    ...host('silent.test'),
    ...host('hesitant.test'),
    'nullmx.test': { mx: [[0, '.']] },
    'servfail.test': { behaviour: 'servfail' },
  },
  hosts: {
    'mx.catchall.test': { temper: { catchAll: true } },
    'mx.strict.test': { mailboxes: {} },
    'mx.slow.test': { temper: { catchAll: true, replyDelayMs: 20 } },
    'mx.greylist.test': { temper: { greylist: { waitMs: 60, defers: 'known' } }, mailboxes: regulars },
    'mx.blocked.test': {
      temper: {
        refusal: { at: 'rcpt', reply: '554 5.7.1 <{recipient}> refused: [{client}] is block listed' },
      },
    },
    'mx.silent.test': { temper: { fault: { phase: 'connect', fault: 'silence' } } },
    // Keeps a worker busy for a quarter of a minute, then hangs up.
    'mx.hesitant.test': { temper: { replyDelayMs: 15_000, fault: { phase: 'banner', fault: 'fin' } } },
  },
};

/** The outcome of an address at each of these domains, if nothing fails on our side. */
export const ends: Readonly<Record<string, string>> = {
  'catchall.test': 'catch_all',
  'strict.test': 'invalid',
  'slow.test': 'catch_all',
  'greylist.test': 'safe',
  'blocked.test': 'unknown',
  'silent.test': 'unknown',
  'hesitant.test': 'unknown',
  'nullmx.test': 'invalid',
  'servfail.test': 'unknown',
};

/** Opens a fixture in that world. Deferred addresses are asked again soon. */
export function openLoadFixture(options: Omit<FixtureOptions, 'world'> = {}): Promise<Fixture> {
  const settings = { MAILPROOF_DEFER_RETRY_MS: '50', ...options.settings };
  return openFixture({ ...options, world: loadWorld, settings });
}
