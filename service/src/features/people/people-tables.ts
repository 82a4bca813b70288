/** Who may sign in to an account, and who is invited to. Their addresses are kept until they are removed. */
declare module '../../core/store/schema.ts' {
  interface Schema {
    person: {
      id: string;
      account_id: string;
      /** The provider, and what it calls the person: together they never change. */
      issuer: string;
      subject: string;
      /** As the provider told them at the last sign-in. */
      email: string | null;
      name: string | null;
      role: 'owner' | 'member' | 'viewer';
      created_at: number;
      signed_in_at: number;
    };
    invitation: {
      id: string;
      account_id: string;
      /** SHA-256 of what the link holds, in hexadecimal. */
      token_hash: string;
      role: 'owner' | 'member' | 'viewer';
      /** Where it is named, nobody else may accept it. */
      email: string | null;
      created_at: number;
      expires_at: number;
    };
    /** Visits to the provider that ended in a sign-in. */
    used_visit: { state_hash: string; expires_at: number };
  }
}

export {};
