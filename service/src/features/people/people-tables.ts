/** People of accounts, and invitations. Their addresses are kept until they are removed. */
declare module '../../core/store/schema.ts' {
  interface Schema {
    person: {
      id: string;
      account_id: string;
      /** The provider, and its id of the person: together they never change. */
      issuer: string;
      subject: string;
      /** From the provider, at the last sign-in. */
      email: string | null;
      name: string | null;
      role: 'owner' | 'member' | 'viewer';
      created_at: number;
      signed_in_at: number;
    };
    invitation: {
      id: string;
      account_id: string;
      /** SHA-256 of the link's token, in hexadecimal. */
      token_hash: string;
      role: 'owner' | 'member' | 'viewer';
      /** If set, only this address may accept the invitation. */
      email: string | null;
      created_at: number;
      expires_at: number;
    };
    /** Visits to the provider that ended in a sign-in. */
    used_visit: { state_hash: string; expires_at: number };
  }
}

export {};
