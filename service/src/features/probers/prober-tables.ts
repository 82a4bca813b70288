import type { Generated } from 'kysely';

/** Egress addresses, probers outside, and the questions handed to them. */
declare module '../../core/store/schema.ts' {
  interface Schema {
    /** The egress addresses that a prober outside may lease for, by the names that it has for them. */
    prober_egress: { prober_id: string; name: string };
    /** Since when the installation has had probers: processes of that role, and probers outside. */
    prober_history: { kind: 'inside' | 'outside'; first_at: number };
    /** Who owns the addresses that mail hosts are asked from (see probers/egress-addresses.ts). */
    egress_address: {
      name: string;
      /** The id of a process or of a prober outside; empty where it was left. */
      owner: string;
      kind: 'inside' | 'outside';
      /** Grows with each new owner. */
      fence: number;
      lease_until: number;
      /** Counts for the next owner, in JSON, and when they were written: at each prolongation, and on leaving. */
      state: string;
      saved_at: number;
      well: number;
      why_not: string;
      /** What its owner tells of it, in JSON: conversations and hosts left alone; a prober outside also of itself. */
      seen: string;
      /** How many of a hundred addresses a prober outside may be asked about. */
      share: Generated<number>;
    };
    /** A prober that is no process of the installation. */
    prober: {
      id: string;
      name: string;
      /** SHA-256 of the token that it enrols with, in hexadecimal; null once it has. */
      token_hash: string | null;
      token_until: number;
      /** SHA-256 of the secret that it made itself; null before it has enrolled. */
      secret_hash: string | null;
      /** What the accounts are hidden with from it. */
      tag_key: string;
      created_at: number;
      enrolled_at: number | null;
      /** Which of its processes works; others with the same secret stand by. */
      instance: Generated<string>;
      seen_at: Generated<number>;
      /** What it said of itself last, in JSON. */
      seen: Generated<string>;
      /** Probes that it has answered, and those of them that brought no conclusion. */
      answered: Generated<number>;
      unknown: Generated<number>;
      /** When control mailboxes were last asked through it, and how often in a row they came out right. */
      controlled_at: Generated<number>;
      controls_right: Generated<number>;
      /** Why nothing is asked through it; null where something is. */
      why_not: Generated<string | null>;
      /** How many of a hundred addresses it may be asked about. */
      share: Generated<number>;
      /** Probes in a row that it held and did not answer, or answered with what cannot be read. */
      faults: Generated<number>;
      /** When it was put aside for that; 0 where it never was. */
      aside_at: Generated<number>;
    };
    /** A question to a mail host on its way to whoever owns the egress address, and its answer on the way back. */
    probe: {
      id: string;
      /** The process that waits for the answer. */
      asker: string;
      egress: string;
      /** 0 where somebody waits for a single verification, 1 for one of a list. */
      urgency: number;
      /** The account, so that accounts are served in turn. */
      tag: string;
      /** The address and its mail route, in JSON. */
      question: string;
      asked_at: number;
      deadline_at: number;
      state: Generated<'waiting' | 'leased' | 'answered'>;
      /** The process, or the instance of a prober outside, that asks. */
      holder: Generated<string>;
      lease: Generated<string>;
      /** Grows each time that the probe is leased. */
      fence: Generated<number>;
      /** 0 where nobody holds it. */
      lease_until: Generated<number>;
      /** In JSON; null where the prober failed. While the probe is held: a mark if its asker has withdrawn it. */
      evidence: Generated<string | null>;
    };
  }
}
