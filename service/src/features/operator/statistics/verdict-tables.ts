/** The table of outcomes. */
declare module '../../../core/store/schema.ts' {
  interface Schema {
    /** Verdicts by outcome, in steps of time. Never an address or a domain. */
    verdict_count: {
      step_ms: number;
      begins_at: number;
      /** A status, or the way in which a verification ended without one. */
      outcome: string;
      /** Reason of an `unknown`; otherwise empty. */
      reason: string;
      /** A provider of the engine's table, or `other`; `none` if no mail host was asked. */
      provider: string;
      verdicts: number;
    };
  }
}

export {};
