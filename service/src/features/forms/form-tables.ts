/** Publishable keys, and their uses. */
declare module '../../core/store/schema.ts' {
  interface Schema {
    form_key: {
      /** The whole key, which is not secret. */
      id: string;
      account_id: string;
      name: string;
      /** Pages that may use it, a JSON array: scheme, host and port of each. */
      origins: string;
      checks_per_day: number;
      checks_per_visitor: number;
      created_at: number;
      deleted_at: number | null;
    };
    /** Uses of a form key by day (UTC, counted since 1970). */
    form_use: { key_id: string; day: number; checks: number };
  }
}

export {};
