import type { Migration } from './migration.ts';

/**
 * The people of accounts, who sign in with an OpenID provider, and the invitations by which they come. Of an invitation
 * only the hash of what its link holds is kept. `used_visit` has the visits to the provider that have ended in a sign-in,
 * so that none ends in a second.
 *
 * A session that a provider opened has the empty `token_mark`, which is that of no token: a program that knows nothing of
 * people takes it for the session of a token that has changed.
 */
export const people: Migration = {
  version: 17,
  statements: ({ integer, table, keyedTable }) => [
    `create table person (
      id text not null primary key, account_id text not null references account (id),
      issuer text not null, subject text not null, email text, name text,
      role text not null check (role in ('owner', 'member', 'viewer')),
      created_at ${integer} not null, signed_in_at ${integer} not null
    ) ${table}`,
    `create unique index person_identity on person (issuer, subject, account_id)`,
    `create index person_account on person (account_id, created_at)`,
    `create table invitation (
      id text not null primary key, account_id text not null references account (id),
      token_hash text not null, role text not null check (role in ('owner', 'member', 'viewer')),
      email text, created_at ${integer} not null, expires_at ${integer} not null
    ) ${table}`,
    `create unique index invitation_token on invitation (token_hash)`,
    `create index invitation_account on invitation (account_id, created_at)`,
    `create index invitation_expiry on invitation (expires_at)`,
    `create table used_visit (
      state_hash text not null primary key, expires_at ${integer} not null
    ) ${keyedTable}`,
    `create index used_visit_expiry on used_visit (expires_at)`,
    `alter table session add column person_id text`,
    `alter table session add column operator_name text`,
    `create index session_person on session (person_id, created_at)`,
  ],
};
