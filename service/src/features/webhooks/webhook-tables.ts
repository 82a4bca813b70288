import type { Generated } from 'kysely';

/** The tables of webhooks. */
declare module '../../core/store/schema.ts' {
  interface Schema {
    /** An endpoint of an account that receives events. */
    webhook: {
      id: string;
      account_id: string;
      url: string;
      /** Types of the events it wants, in JSON. */
      events: string;
      /** `credits.low` is sent when fewer credits than this are available. */
      credits_low_at: number | null;
      enabled: number;
      /** As its owner keeps it, `whsec_…`: signing needs the secret itself. */
      secret: string;
      /** The previous secret; messages are also signed with it until `previous_until`. */
      previous_secret: string | null;
      previous_until: number | null;
      /** Time of the last `credits.low`; null again after a grant. */
      low_told_at: number | null;
      /** Time since which every attempt has failed; null if the last one succeeded. */
      failing_since: number | null;
      /** Time at which the last attempt timed out; null if it ended otherwise. */
      timed_out_at: Generated<number | null>;
      disabled_at: number | null;
      disabled_because: 'owner' | 'gone' | 'failing' | null;
      created_at: number;
      /** Hidden from then on; the sweep erases its deliveries, then the row. */
      deleted_at: number | null;
    };
    /** An event on its way to an endpoint, or its outcome. Never an address. */
    webhook_delivery: {
      id: string;
      webhook_id: string;
      /** The same for every endpoint and attempt. */
      event_id: string;
      type: string;
      /** The exact bytes that are sent. */
      body: string;
      state: 'pending' | 'delivered' | 'failed';
      attempts: number;
      /** Outcome of each attempt, in JSON. */
      attempt_log: string;
      /** The beginning of the last response. */
      response: string | null;
      next_at: number;
      fence: number;
      lease_owner: string | null;
      /** 0 if no process holds it. */
      lease_until: number;
      created_at: number;
      ended_at: number | null;
    };
  }
}
