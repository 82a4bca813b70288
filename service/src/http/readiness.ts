import type { Clock, Engine } from '@mailproof/engine';
import type { Store } from '../db/store.ts';
import { StoreUnavailableError } from '../db/store-unavailable-error.ts';
import type { WallClock } from '../db/wall-clock.ts';
import type { Readiness } from './http-parts.ts';

type ReadinessParts = {
  store: Pick<Store, 'check'>;
  engine: Pick<Engine, 'health'>;
  clock: Pick<Clock, 'now'>;
  wallClock: WallClock;
};

/** Anybody may ask, and the answer takes a write, so it is found out once a second at most. */
const rememberMs = 1_000;

/** The engine says what is wrong, this what to do about it. */
const resolverRemedy =
  'set MAILPROOF_DNS_SERVERS to a resolver of the public DNS, or MAILPROOF_RESOLVER_PROBES to names of this network';

export function createReadiness({
  store,
  engine,
  clock,
  wallClock,
}: ReadinessParts): () => Promise<Readiness> {
  let known: { readiness: Promise<Readiness>; until: number } | undefined;

  async function look(): Promise<Readiness> {
    try {
      await store.check(wallClock.now());
      const { resolver } = engine.health();
      if (resolver.kind === 'in_order') return { ready: true };
      return { ready: false, problems: [`${resolver.line}; ${resolverRemedy}`] };
    } catch (error) {
      if (error instanceof StoreUnavailableError) return { ready: false, problems: [error.message] };
      throw error;
    }
  }

  return () => {
    if (known === undefined || clock.now() >= known.until) {
      known = { readiness: look(), until: clock.now() + rememberMs };
    }
    return known.readiness;
  };
}
