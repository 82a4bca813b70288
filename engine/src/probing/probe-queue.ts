import type { PendingProbe } from './pending-probe.ts';

/**
 * Those who wait for one mail host: single verifications first, for somebody waits for them; among equals
 * the accounts take turns, so that nobody's thousand stand before another's one.
 */
export type ProbeQueue = {
  add(probe: PendingProbe): void;
  take(most: number): PendingProbe[];
  /** How many wait who have not left. */
  size(): number;
};

export function createProbeQueue(): ProbeQueue {
  // Nobody waits at most of the lines, so a queue is made for the first who does and goes with the last.
  const queues: Record<'single' | 'bulk', Map<string, PendingProbe[]> | undefined> = {
    single: undefined,
    bulk: undefined,
  };
  let waiting = 0;

  /** The next of the account whose turn it is; that account then goes to the end of the row. */
  function takeOne(urgency: 'single' | 'bulk'): PendingProbe | undefined {
    const byAccount = queues[urgency];
    if (byAccount === undefined) return undefined;
    for (const [account, probes] of byAccount) {
      byAccount.delete(account);
      const probe = probes.shift();
      if (probes.length > 0) byAccount.set(account, probes);
      if (byAccount.size === 0) queues[urgency] = undefined;
      if (probe !== undefined && !probe.isSettled()) return probe;
    }
    return undefined;
  }

  return {
    add(probe) {
      const byAccount = (queues[probe.asker.urgency] ??= new Map<string, PendingProbe[]>());
      const probes = byAccount.get(probe.asker.account) ?? [];
      probes.push(probe);
      byAccount.set(probe.asker.account, probes);
      waiting += 1;
      probe.onSettled(() => {
        if (probes.includes(probe)) waiting -= 1;
      });
    },
    take(most) {
      const taken: PendingProbe[] = [];
      while (taken.length < most) {
        const probe = takeOne('single') ?? takeOne('bulk');
        if (probe === undefined) break;
        taken.push(probe);
      }
      waiting -= taken.length;
      return taken;
    },
    size: () => waiting,
  };
}
