import type { WorldDescription } from '@mailproof/world';
import { openFixture, type Fixture, type FixtureOptions } from '../../support/open-fixture.ts';

/**
 * A mail internet for load: one domain for each way a verification can end, at which every local part will do, so that
 * every request can have an address of its own.
 */
const host = (domain: string) => ({ [domain]: { mx: [[10, `mx.${domain}`] as [number, string]] } });

/** Those that the greylisting host knows; unknown mailboxes it refuses at once. */
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
    // Keeps a worker busy for a quarter of a minute, and hangs up without a word.
    'mx.hesitant.test': { temper: { replyDelayMs: 15_000, fault: { phase: 'banner', fault: 'fin' } } },
  },
};

/** What becomes of an address at each of these domains, when nothing goes wrong on our side. */
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

/** A fixture in that world. Who is put off is asked again soon. */
export function openLoadFixture(options: Omit<FixtureOptions, 'world'> = {}): Promise<Fixture> {
  const settings = { MAILPROOF_DEFER_RETRY_MS: '50', ...options.settings };
  return openFixture({ ...options, world: loadWorld, settings });
}
