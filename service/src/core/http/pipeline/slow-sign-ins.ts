import { createBoundedCache, type Clock } from '@mailproof/engine';

/**
 * Slows down guessing of credentials. After five wrong attempts in a row from one client, each further one must wait:
 * first a second, then twice as long each time, up to a minute.
 *
 * Credentials of different kinds count apart: wrong keys, or probers that fail to enrol, never lock out the right
 * token. A right credential clears only its own wrong attempts. So an attacker's own credential does not help them to
 * guess another.
 *
 * Wrong tokens are also counted in total, because a guesser may have many addresses. That never locks out a client that
 * had the right token within a day.
 *
 * An attempt counts as wrong until it proves right: otherwise a thousand sent at once would all be allowed. A refused
 * attempt does not count, so trying too soon does not lengthen the wait.
 */
export type SignIns = {
  /** Tells whether this client may try this credential now, or must wait. */
  begin(client: string, credential: SignInCredential): SignInAttempt;
};

/**
 * A credential by its kind, and by its identity if there are many. That is the public id of a key (`key` alone: none)
 * or a digest of a prober's enrolment token.
 */
export type SignInCredential =
  'token' | 'metrics' | 'provider' | 'key' | `key ${string}` | `enrolment ${string}`;

export type SignInAttempt = { kind: 'try'; succeeded: () => void } | { kind: 'wait'; seconds: number };

const freeFailures = 5;
const longestWaitMs = 60_000;
/** More failures would not lengthen the wait. */
const mostFailures = freeFailures + 6;
/** A client that has not tried for this long starts again from zero. */
const forgetAfterMs = 3_600_000;
const rowsKnown = 10_000;

/** Failed credentials of one kind in a row, and the time of the last. */
type Row = { failures: readonly SignInCredential[]; lastAt: number };

const noFailures: Row = { failures: [], lastAt: -Infinity };

export function createSignIns({ clock }: { clock: Pick<Clock, 'now'> }): SignIns {
  /** By kind of credential and client. */
  const rows = createBoundedCache<Row>({ clock, maxEntries: rowsKnown });
  const wrongTokens = createWrongTokenCount(clock);

  function keep(place: string, row: Row): void {
    if (row.failures.length === 0) rows.delete(place);
    else rows.set(place, row, forgetAfterMs);
  }

  return {
    begin: (client, credential) => {
      const now = clock.now();
      const place = `${kindOf(credential)} ${client}`;
      const before = rows.get(place) ?? noFailures;
      const waitMs = Math.max(
        before.lastAt + waitAfter(before.failures.length) - now,
        credential === 'token' ? wrongTokens.waitMs(client) : 0,
      );
      if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1_000) };

      if (credential === 'token') wrongTokens.begin();
      keep(place, { failures: [...before.failures, credential].slice(-mostFailures), lastAt: now });
      return {
        kind: 'try',
        succeeded: () => {
          const { failures, lastAt } = rows.get(place) ?? noFailures;
          keep(place, {
            failures: failures.filter((failed) => failed !== credential),
            lastAt: lastAt === now ? before.lastAt : lastAt,
          });
          if (credential === 'token') wrongTokens.succeeded(client);
        },
      };
    },
  };
}

function kindOf(credential: SignInCredential): string {
  return credential.split(' ', 1)[0] ?? '';
}

function waitAfter(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(1_000 * 2 ** (failures - freeFailures), longestWaitMs);
}

const wrongTokensAMinute = 100;
const minuteMs = 60_000;
const rememberMs = 86_400_000;
const operatorsKnown = 1_000;

function createWrongTokenCount(clock: Pick<Clock, 'now'>) {
  const operators = createBoundedCache<true>({ clock, maxEntries: operatorsKnown });
  let minute = { since: -Infinity, wrong: 0 };

  return {
    waitMs(client: string): number {
      const leftMs = minute.since + minuteMs - clock.now();
      return minute.wrong >= wrongTokensAMinute && operators.get(client) === undefined ? leftMs : 0;
    },
    begin(): void {
      const now = clock.now();
      if (now - minute.since >= minuteMs) minute = { since: now, wrong: 0 };
      minute.wrong += 1;
    },
    succeeded(client: string): void {
      minute.wrong -= 1;
      operators.set(client, true, rememberMs);
    },
  };
}
