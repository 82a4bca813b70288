import type { Generated } from 'kysely';

/** Egress addresses, outside probers, and their probes. */
declare module '../../core/store/schema.ts' {
  interface Schema {
    /** The egress addresses that an outside prober may lease for, by its own names. */
    prober_egress: { prober_id: string; name: string };
    /** First time at which the installation had probers: processes of that role, and outside probers. */
    prober_history: { kind: 'inside' | 'outside'; first_at: number };
    /** Owners of the addresses that mail hosts are asked from (see probers/egress-addresses.ts). */
    egress_address: {
      name: string;
      /** Id of a process or of an outside prober; empty if it was left. */
      owner: string;
      kind: 'inside' | 'outside';
      /** Grows with each new owner. */
      fence: number;
      lease_until: number;
      /** Hand-over for the next owner, in JSON, and its time: written at each renewal and on leaving. */
      state: string;
      saved_at: number;
      well: number;
      why_not: string;
      /** The owner's figures, in JSON: conversations and resting hosts; an outside prober adds its own description. */
      seen: string;
      /** Percentage of addresses that an outside prober may be asked about. */
      share: Generated<number>;
    };
    /** A prober that is not a process of the installation. */
    prober: {
      id: string;
      name: string;
      /** SHA-256 of its enrolment token, in hexadecimal; null once it has enrolled. */
      token_hash: string | null;
      token_until: number;
      /** SHA-256 of the secret that it made itself; null before it has enrolled. */
      secret_hash: string | null;
      /** Key that hides the accounts from it. */
      tag_key: string;
      created_at: number;
      enrolled_at: number | null;
      /** Its working instance; others with the same secret stand by. */
      instance: Generated<string>;
      seen_at: Generated<number>;
      /** Its last description of itself, in JSON. */
      seen: Generated<string>;
      /** Probes that it has answered, and the inconclusive ones of these. */
      answered: Generated<number>;
      unknown: Generated<number>;
      /** Time of the last control mailboxes asked through it, and correct ones in a row. */
      controlled_at: Generated<number>;
      controls_right: Generated<number>;
      /** Why nothing is asked through it; null if it is in use. */
      why_not: Generated<string | null>;
      /** Percentage of addresses that it may be asked about. */
      share: Generated<number>;
      /** Consecutive probes that it held and did not answer, or answered unreadably. */
      faults: Generated<number>;
      /** Time at which it was put aside for that; 0 if it never was. */
      aside_at: Generated<number>;
    };
    /** A question to a mail host on its way to the owner of the egress address, and the answer on its way back. */
    probe: {
      id: string;
      /** The process that waits for the answer. */
      asker: string;
      egress: string;
      /** 0 for a single verification, 1 for an address of a list. */
      urgency: number;
      /** The account, so that accounts are served in turn. */
      tag: string;
      /** The address and its mail route, in JSON. */
      question: string;
      asked_at: number;
      deadline_at: number;
      state: Generated<'waiting' | 'leased' | 'answered'>;
      /** The process, or the instance of an outside prober, that asks. */
      holder: Generated<string>;
      lease: Generated<string>;
      /** Grows with each lease of the probe. */
      fence: Generated<number>;
      /** 0 if it is not leased. */
      lease_until: Generated<number>;
      /** In JSON; null if the prober failed. While the probe is leased: a mark if its asker has withdrawn it. */
      evidence: Generated<string | null>;
    };
  }
}
