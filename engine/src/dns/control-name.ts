/**
 * Tells whether "no such name" can be believed: a resolver that has lost its way says so of every
 * name, and each would become a wrong verdict that is charged for. So the operator's own domain is
 * asked along, past the cache and at most every 30 seconds, and only when it matters.
 *
 *     unproven ── resolves ──▶ good ── does not resolve ──▶ lost ── resolves ──▶ good
 *
 * Unproven: the name has not resolved since the process started, so its silence means nothing.
 * Lost: what was answered since the last good check is in doubt, so every "no such name" leaves the
 * cache, now and when the control comes back; a finding that began before it came back stays in doubt.
 */
import type { Clock } from '../clock.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Resolver } from './lookup.ts';
import { waitFor } from './wait-for.ts';

export type ControlName = {
  /** Whether answers gathered from `since` (on the clock) until now are in doubt. */
  inDoubt(since: number, patience: Patience): Promise<boolean>;
};

type ControlState = { kind: 'unproven' } | { kind: 'good'; from: number } | { kind: 'lost' };

const CHECK_EVERY_MS = 30_000;
const CHECK_WAIT_MS = 1_000;

export function createControlName(parts: {
  name: CanonicalHost;
  resolver: { uncached: Pick<Resolver, 'mx' | 'ipv4'>; forgetMissing(): void };
  clock: Clock;
}): ControlName {
  const { clock, resolver } = parts;
  let state: ControlState = { kind: 'unproven' };
  let latest: { at: number; done: Promise<'checked' | 'late'> } | undefined;

  async function check(): Promise<'checked'> {
    const patience = { deadline: clock.now() + CHECK_WAIT_MS, signal: new AbortController().signal };
    // Two questions, so that one lost packet does not cast doubt on everything for half a minute.
    const answers = await Promise.all([
      resolver.uncached.mx(parts.name, patience),
      resolver.uncached.ipv4(parts.name, patience),
    ]);
    // A domain without such a record still exists; only "no such name" and no answer speak against the resolver.
    state = stateAfter(
      state,
      answers.some(({ kind }) => kind === 'found' || kind === 'no_data'),
    );
    return 'checked';
  }

  function stateAfter(before: ControlState, resolves: boolean): ControlState {
    switch (before.kind) {
      case 'unproven':
        return resolves ? { kind: 'good', from: -Infinity } : before;
      case 'good':
        if (resolves) return before;
        resolver.forgetMissing();
        return { kind: 'lost' };
      case 'lost':
        if (!resolves) return before;
        resolver.forgetMissing();
        return { kind: 'good', from: clock.now() };
    }
  }

  return {
    async inDoubt(since, patience) {
      if (latest === undefined || clock.now() - latest.at >= CHECK_EVERY_MS)
        latest = { at: clock.now(), done: check() };
      const checked = await waitFor(latest.done, { clock, patience, late: 'late' });
      if (checked === 'late') return state.kind !== 'unproven';
      return state.kind === 'lost' || (state.kind === 'good' && state.from > since);
    },
  };
}
