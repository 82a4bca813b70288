import type { Pacer, Predecessor } from './politeness/create-pacer.ts';
import type { EgressPace } from './politeness/ip-profile.ts';
import type { Reputation } from './reputation/create-reputation.ts';
import type { EgressRights, Routes } from './routes/create-routes.ts';
import type { IdentityWatch } from './identity/watch-identity.ts';
import type { MailPortWatch } from './routes/watch-mail-port.ts';

/** The egress addresses that the engine is set up with, for the keeper of their ownership. */
export type EngineEgress = {
  ids: readonly string[];
  /** Makes an address ours: conversations may begin from it until then, on the engine's clock. */
  takeOver(id: string, from: Predecessor, until: number): void;
  /** Prolongs the ownership. */
  allowUntil(id: string, until: number): void;
  /** Gives the address up: nothing begins from it any more. */
  giveUp(id: string): void;
  /** Conversations that are still open from it. */
  conversations(id: string): number;
  /** Hosts and providers that are left alone now, from all addresses alike. */
  resting(): number;
  /** Counts for its next owner; `mostHosts` bounds how many hosts are named. */
  handOver(id: string, mostHosts?: number): unknown;
  /** Why nothing can be asked from it now, if so. */
  problem(id: string): string | undefined;
};

type EgressNeeds = {
  pacer: Pacer;
  egressPace: EgressPace;
  rights: EgressRights;
  routes: Routes;
  mailPort: MailPortWatch;
  reputation: Reputation | undefined;
  identity: IdentityWatch;
};

export function openEgress(needs: EgressNeeds): EngineEgress {
  const { pacer, egressPace, rights, routes, mailPort, reputation, identity } = needs;
  return {
    ids: routes.ids,
    takeOver(id, from, until) {
      pacer.takeOver(id, from);
      if (from.kind !== 'nobody') egressPace.takeOver(id);
      rights.allowUntil(id, until);
    },
    allowUntil: (id, until) => rights.allowUntil(id, until),
    giveUp: (id) => rights.giveUp(id),
    conversations: (id) => pacer.openFrom(id),
    resting: () => pacer.resting().length,
    handOver: (id, mostHosts) => pacer.handOver(id, mostHosts),
    problem(id) {
      if (mailPort.isBlocked().kind === 'blocked') return 'mail_port_blocked';
      if (identity.problem(id) !== undefined) return 'identity_unproven';
      const closure = reputation?.of(id);
      return closure === undefined ? routes.problem(id) : `listed_by ${closure.list}`;
    },
  };
}
