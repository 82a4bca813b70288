/** A prober that speaks the protocol by hand: it leases what it likes, and says what it likes or nothing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { CentreRefusedError, enrolAt } from '../../src/features/probers/https-source.ts';
import { makeProberSecret, type ProberBounds } from '../../src/features/probers/prober-records.ts';
import type { ProberFixture } from './open-prober-fixture.ts';
import { until } from './until.ts';

const never = new AbortController().signal;

function unlessBusy(error: unknown): undefined {
  if (error instanceof CentreRefusedError && error.status === 503) return undefined;
  throw error;
}

/** Somebody with a token who speaks the protocol by hand. */
export async function enrolByHand(fixture: ProberFixture, name: string, bounds: Partial<ProberBounds> = {}) {
  const { token, proberId } = await fixture.invite(name, bounds);
  const secret = makeProberSecret();
  const centre = new URL(`${fixture.url}/`);
  // A machine that is busy turns it away, and it comes again.
  await until(() => enrolAt({ centre, secret, token, signal: never }).catch(unlessBusy));
  const instance = randomUUID();
  const post = (path: string, body: object, bearer = secret) =>
    fixture.client.ask({ path: `/probe/v1/${path}`, key: bearer, body }, { insist: false });
  const order = {
    instance,
    version: '0',
    places: 10,
    egress: ['default'],
    wait_ms: 10_000,
    conversations: 0,
    resting: 0,
  };
  return {
    proberId,
    token,
    secret,
    instance,
    post,
    lease: (more: object = {}) => post('lease', { ...order, ...more }),
  };
}

export type LeasedProbe = { probe: string; lease: string; fence: number };
type Answer = { status: number; body: Record<string, unknown> };

/**
 * A probe for each of the answers that are waited for. On a machine with much else to do a wait may end before there is
 * something to lease: then it is asked for again.
 */
export async function leaseProbes(prober: { lease(): Promise<Answer> }, answers: readonly Promise<Answer>[]) {
  const early = Promise.race(answers).then(({ status, body }) =>
    assert.fail(`answered before its probe was: ${status} ${JSON.stringify(body)}`),
  );
  const leased: LeasedProbe[] = [];
  while (leased.length < answers.length)
    leased.push(...((await Promise.race([prober.lease(), early])).body['probes'] as LeasedProbe[]));
  return leased;
}

export function yes(email: string): object {
  return {
    kind: 'answered',
    host: 'mx.brisk.test',
    replies: [{ phase: 'rcpt', code: 250, text: `ok ${email}` }],
    meaning: { label: 'accepted', reason: 'accepted' },
    catch_all: { kind: 'no', from: 'memory', age_ms: 1 },
  };
}

export function no(email: string): object {
  return {
    ...yes(email),
    replies: [{ phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user here' }],
    meaning: { label: 'mailbox_not_exist', reason: 'user_unknown' },
  };
}
