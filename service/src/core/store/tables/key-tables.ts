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
    /** What its holder calls it. */
    name: string;
    created_at: number;
    deleted_at: number | null;
    /** Names of scopes, separated by spaces; null: all of them. */
    scopes: Generated<string | null>;
    expires_at: Generated<number | null>;
    /** Blocks of addresses, separated by spaces; null: from everywhere. */
    allowed_ips: Generated<string | null>;
    credits_per_day: Generated<number | null>;
    /** The last day (since the epoch, UTC) on which a cap counted, and what it counted: charged and still reserved. */
    capped_day: Generated<number>;
    capped_credits: Generated<number>;
    last_used_day: Generated<number | null>;
  };
  session: {
    /** SHA-256 of what the cookie holds, in hexadecimal. */
    id_hash: string;
    /** The key it was opened with; null where the operator's token or a provider opened it. */
    key_id: string | null;
    /** Which admin token opened it (see sessions/admin-token.ts); null where a key did, empty where a provider did. */
    token_mark: string | null;
    /** The person, or the entry of the operators' list, that a provider opened it for. */
    person_id: Generated<string | null>;
    operator_name: Generated<string | null>;
    created_at: number;
    expires_at: number;
  };
};
