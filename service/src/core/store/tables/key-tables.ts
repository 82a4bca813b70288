import type { Generated } from 'kysely';

/** The keys of accounts and the sessions opened with them. */
export type KeyTables = {
  api_key: {
    /** The public part of the key. */
    id: string;
    account_id: string;
    mode: 'live' | 'test';
    /** SHA-256 of the secret, in hexadecimal. */
    secret_hash: string;
    last4: string;
    /** The name that its holder gave it. */
    name: string;
    created_at: number;
    deleted_at: number | null;
    /** Names of scopes, separated by spaces; null: all of them. */
    scopes: Generated<string | null>;
    expires_at: Generated<number | null>;
    /** Blocks of addresses, separated by spaces; null: any address. */
    allowed_ips: Generated<string | null>;
    credits_per_day: Generated<number | null>;
    /**
     * The last day (since the epoch, UTC) on which the cap counted, and the credits counted: charged and still
     * reserved.
     */
    capped_day: Generated<number>;
    capped_credits: Generated<number>;
    last_used_day: Generated<number | null>;
  };
  session: {
    /** SHA-256 of the cookie's value, in hexadecimal. */
    id_hash: string;
    /** The key that opened it; null if the operator's token or a provider did. */
    key_id: string | null;
    /** The admin token that opened it (see sessions/admin-token.ts); null if a key did, empty if a provider did. */
    token_mark: string | null;
    /** The person, or the entry of the operators' list, that a provider opened it for. */
    person_id: Generated<string | null>;
    operator_name: Generated<string | null>;
    created_at: number;
    expires_at: number;
  };
};
