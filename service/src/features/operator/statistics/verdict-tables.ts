/** The table of outcomes. */
declare module '../../../core/store/schema.ts' {
  interface Schema {
    /** How verdicts came out, in steps of time. Never an address or a domain. */
    verdict_count: {
      step_ms: number;
      begins_at: number;
      /** A status, or how a verification ended without one. */
      outcome: string;
      /** Why, where the status is `unknown`; else empty. */
      reason: string;
      /** A provider of the engine's table, or `other`; `none` where no mail host was asked. */
      provider: string;
      verdicts: number;
    };
  }
}

export {};
