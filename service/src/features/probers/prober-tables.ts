/** What the operator has settled about probers; the probers themselves and their probes are in schema.ts. */
export type ProberTables = {
  /** The egress addresses that a prober outside may lease for, by the names that it has for them. */
  prober_egress: { prober_id: string; name: string };
  /** Since when the installation has had probers: processes of that role, and probers outside. */
  prober_history: { kind: 'inside' | 'outside'; first_at: number };
};
