import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { enrolAt } from '../../../src/features/probers/https-source.ts';
import { makeProberSecret } from '../../../src/features/probers/prober-records.ts';
import type { Answer, ApiClient } from '../../support/api-client.ts';
import type { Installation } from './open-installation.ts';
import { untilDone } from './until-done.ts';

/**
 * A prober outside that enrols under load, takes all the probes it can get, is removed, and a second later reports of each
 * that there is no such mailbox. Answers what was wrong: that anybody still listened to it.
 */
export async function enrolAndRemove(installation: Installation): Promise<string[]> {
  const name = `gone-${randomUUID().slice(0, 8)}`;
  const added = await untilDone(() => installation.command('probers', 'add', name));
  const secret = makeProberSecret();
  await untilDone(() => enrol(installation, { secret, token: String(added['token']) }));
  const order = { instance: randomUUID(), version: '0', places: 50, egress: ['default'] };
  const waiting = { wait_ms: 1_000, conversations: 0, resting: 0 };
  const held: HeldProbe[] = [];
  for (let tries = leases; tries > 0; tries -= 1) {
    const answer = await post(installation.apis.at(0)?.client(), 'lease', {
      secret,
      body: { ...order, ...waiting },
    });
    if (answer.kind === 'answered' && answer.status === 200)
      held.push(...(answer.body['probes'] as HeldProbe[]));
  }
  await untilDone(() => installation.command('probers', 'remove', name));
  await sleep(forgottenWithinMs);
  const body = { instance: order.instance, results: held.map(falseAnswer), learned: [], renew: [] };
  const answers = await Promise.all(
    installation.apis.map((api) => post(api.client(), 'report', { secret, body })),
  );
  return answers.flatMap((answer) =>
    answer.kind === 'answered' && ![401, 503].includes(answer.status)
      ? [`a prober that was removed was answered ${answer.status}: ${answer.text.slice(0, 200)}`]
      : [],
  );
}

const leases = 4;
const forgottenWithinMs = 1_000;

type HeldProbe = { probe: string; lease: string; fence: number };

async function enrol({ apis }: Installation, { secret, token }: { secret: string; token: string }) {
  const url = apis.flatMap((api) => api.url() ?? [])[0];
  if (url === undefined) throw new Error('no API is up');
  await enrolAt({ centre: new URL(`${url}/`), secret, token, signal: AbortSignal.timeout(10_000) });
}

async function post(
  client: ApiClient | undefined,
  path: 'lease' | 'report',
  { secret, body }: { secret: string; body: object },
): Promise<Answer> {
  return (
    (await client?.send({ path: `/probe/v1/${path}`, key: secret, body })) ?? {
      kind: 'lost',
      why: 'no API runs',
    }
  );
}

function falseAnswer({ probe, lease, fence }: HeldProbe): object {
  const evidence = {
    kind: 'answered',
    host: 'mx.catchall.test',
    replies: [{ phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user' }],
    meaning: { label: 'mailbox_not_exist', reason: 'user_unknown' },
    catch_all: { kind: 'undetermined' },
  };
  return { probe, lease, fence, evidence };
}
