import type { PersonRole } from '@mailproof/client';
import { noLimits, type CallerLimits, type Power } from '../keys/key-limits.ts';

/**
 * What a role may do, in the words in which keys are limited: so there is one place that decides (keys/authenticate.ts),
 * whoever asks. An owner is not limited, and that alone gives power over people and keys.
 */
const powersOfRole: Readonly<Record<PersonRole, readonly Power[] | null>> = {
  owner: null,
  member: ['verify', 'tasks', 'lists', 'account:read'],
  viewer: ['tasks:read', 'lists:read', 'account:read'],
};

/** Nothing where the role limits nothing. */
export function limitsOfRole(role: PersonRole): CallerLimits | undefined {
  const scopes = powersOfRole[role];
  return scopes === null ? undefined : { ...noLimits, scopes };
}
