import { createBoundedCache, type Clock } from '@mailproof/engine';

/**
 * Slows down guessing, whichever way a credential is presented. After five wrong attempts in a row from one client, each
 * further one has to wait: at first a second, then twice as long each time, up to a minute.
 *
 * Credentials of different kinds count apart: wrong keys, or probers that fail to enrol, never keep the right token out.
 * The right credential forgives its own wrong attempts and no others: nobody goes on guessing the operator's token, or
 * another's key, with the help of a credential of their own.
 *
 * Wrong tokens are counted in all as well, because a guesser may have many addresses. That never keeps out a client
 * that had the right one within a day.
 *
 * An attempt counts as wrong until it proves right: otherwise a thousand sent at once would all be allowed before the
 * first has failed. A refused attempt does not count, so that trying too soon does not lengthen the wait.
 */
export type SignIns = {
  /** Whether this client may try this credential now, or has to wait. */
  begin(client: string, credential: SignInCredential): SignInAttempt;
};

/**
 * A credential by its kind, and by which one it is if there are many of its kind: the public id of a key (`key` alone
 * stands for what has none) or a digest of the token that a prober enrols with.
 */
export type SignInCredential =
  'token' | 'metrics' | 'provider' | 'key' | `key ${string}` | `enrolment ${string}`;

export type SignInAttempt = { kind: 'try'; succeeded: () => void } | { kind: 'wait'; seconds: number };

const freeFailures = 5;
const longestWaitMs = 60_000;
/** More would not lengthen the wait. */
const mostFailures = freeFailures + 6;
/** A client that has not tried for this long starts again from zero. */
const forgetAfterMs = 3_600_000;
const rowsKnown = 10_000;

/** Credentials of one kind that failed in a row, and when the last did. */
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
