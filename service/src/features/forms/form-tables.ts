/** Keys that stand in web pages, and how often they were used. */
declare module '../../core/store/schema.ts' {
  interface Schema {
    form_key: {
      /** The whole key, which is no secret. */
      id: string;
      account_id: string;
      name: string;
      /** The pages it may be used from, a JSON array: scheme, host and port of each. */
      origins: string;
      checks_per_day: number;
      checks_per_visitor: number;
      created_at: number;
      deleted_at: number | null;
    };
    /** How often a form key was used, by day (UTC, counted since 1970). */
    form_use: { key_id: string; day: number; checks: number };
  }
}

export {};
