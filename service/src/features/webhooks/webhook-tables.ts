import type { Generated } from 'kysely';

/** The tables of webhooks. */
declare module '../../core/store/schema.ts' {
  interface Schema {
    /** An endpoint of an account that is told of events. */
    webhook: {
      id: string;
      account_id: string;
      url: string;
      /** The types of events it wants, in JSON. */
      events: string;
      /** `credits.low` is told when fewer credits than this are available. */
      credits_low_at: number | null;
      enabled: number;
      /** In the form in which its owner keeps it, `whsec_…`: to sign, the service needs the secret itself. */
      secret: string;
      /** The secret before, which is signed with too until then. */
      previous_secret: string | null;
      previous_until: number | null;
      /** When it was last told that credits are low; null again after a grant. */
      low_told_at: number | null;
      /** Since when every attempt has failed; null where the last one succeeded. */
      failing_since: number | null;
      /** When the last attempt timed out; null if it came to another end. */
      timed_out_at: Generated<number | null>;
      disabled_at: number | null;
      disabled_because: 'owner' | 'gone' | 'failing' | null;
      created_at: number;
      /** Nobody sees it any more; the sweep erases its deliveries and then itself. */
      deleted_at: number | null;
    };
    /** An event on its way to an endpoint, or what became of it. Never an address. */
    webhook_delivery: {
      id: string;
      webhook_id: string;
      /** The same for every endpoint and at each attempt. */
      event_id: string;
      type: string;
      /** What is sent, byte by byte. */
      body: string;
      state: 'pending' | 'delivered' | 'failed';
      attempts: number;
      /** What came of each attempt, in JSON. */
      attempt_log: string;
      /** The beginning of the last response. */
      response: string | null;
      next_at: number;
      fence: number;
      lease_owner: string | null;
      /** 0 where nobody holds it. */
      lease_until: number;
      created_at: number;
      ended_at: number | null;
    };
  }
}
