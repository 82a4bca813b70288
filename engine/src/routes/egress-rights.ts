import type { Clock } from '../clock.ts';

/**
 * Which egress addresses this process may begin conversations from. An address has one owner at a time; whoever keeps
 * the ownership (the service, in its database) says here until when it is certain. Nobody says anything where a process
 * is alone: then every address is its own, always.
 *
 *     not ours ──▶ ours until a moment, prolonged again and again ──▶ lapsed (nothing begins) ──▶ ours
 *         ▲                                                             └──▶ not ours
 *         └── given up ────────────────────────────────────────────────────────┘
 */
export type EgressRights = {
  of(egress: string): 'ours' | 'lapsed' | 'not_ours';
  /** Until then, on the engine's clock, conversations may begin. */
  allowUntil(egress: string, until: number): void;
  giveUp(egress: string): void;
  /** Each is called at every change but a prolongation. */
  onChange(listener: () => void): void;
};

export function createEgressRights(clock: Clock): EgressRights {
  const until = new Map<string, number>();
  const listeners: (() => void)[] = [];
  const tell = (): void => listeners.forEach((listener) => listener());
  function rightTo(egress: string): 'ours' | 'lapsed' | 'not_ours' {
    const end = until.get(egress);
    if (end === undefined) return 'not_ours';
    return clock.now() < end ? 'ours' : 'lapsed';
  }
  return {
    of: rightTo,
    allowUntil(egress, end) {
      const before = rightTo(egress);
      until.set(egress, end);
      if (before !== 'ours') tell();
    },
    giveUp(egress) {
      if (until.delete(egress)) tell();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** The rights of a process that is alone. */
export const allEgressIsOurs: EgressRights = {
  of: () => 'ours',
  allowUntil: () => undefined,
  giveUp: () => undefined,
  onChange: () => undefined,
};
