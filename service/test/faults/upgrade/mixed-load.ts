import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldDescription } from '@mailproof/world';
import { bulkPath, singlePath, type ApiClient, type Answered, type Call } from '../../support/api-client.ts';

const zone = (domain: string) => ({ [domain]: { mx: [[10, `mx.${domain}`] as [number, string]] } });
const people = Array.from({ length: 2_000 }, (_, n) => [`person${n}`, 'exists'] as const);

/** Domains at which every address comes out the same way. */
export const loadWorld: WorldDescription = {
  zones: {
    ...zone('catchall.test'),
    ...zone('strict.test'),
    ...zone('blocked.test'),
    ...zone('greylist.test'),
  },
  hosts: {
    'mx.catchall.test': { temper: { catchAll: true, replyDelayMs: 5 } },
    'mx.strict.test': { mailboxes: {} },
    'mx.blocked.test': {
      temper: {
        refusal: { at: 'rcpt', reply: '554 5.7.1 <{recipient}> refused: [{client}] is block listed' },
      },
    },
    'mx.greylist.test': {
      temper: { greylist: { waitMs: 60, defers: 'known' } },
      mailboxes: Object.fromEntries(people),
    },
  },
};

const outcomes = {
  'catchall.test': 'catch_all',
  'strict.test': 'invalid',
  'blocked.test': 'unknown',
} as const;

export type SingleAnswer = { requestId: string; told: number };

export type MixedLoad = {
  singles: SingleAnswer[];
  /** Tasks that were read to their end, each with what its addresses were worth. */
  tasks: { taskId: string; conclusive: number }[];
  /** Requests that were sent and never answered: they may have been charged. */
  lost: () => number;
  violations: string[];
  stop: () => Promise<void>;
};

type LoadParts = { key: string; /** Those that can be asked at this moment. */ clients: () => ApiClient[] };

/** Clients that verify single addresses and lists through whichever process is there, until they are told to stop. */
export function startMixedLoad({ key, clients }: LoadParts): MixedLoad {
  const load: Omit<MixedLoad, 'stop' | 'lost'> = { singles: [], tasks: [], violations: [] };
  let [stopped, lost, counted] = [false, 0, 0];

  /** The next process, round robin; whoever is turned away or finds nobody asks the next one. */
  async function ask(call: Call, isSafeToRepeat: boolean): Promise<Answered | undefined> {
    for (;;) {
      const there = clients();
      const client = there[(counted += 1) % there.length];
      const answer = await client?.send({ key, ...call });
      if (answer?.kind === 'answered' && answer.status !== 503) return answer;
      if (answer?.kind === 'lost' && !isSafeToRepeat) {
        lost += 1;
        return undefined;
      }
      await sleep(20);
    }
  }

  async function verifyOne(): Promise<void> {
    const domains = Object.entries(outcomes);
    const [domain, expected] = domains[(counted += 1) % domains.length] ?? ['', ''];
    const answer = await ask({ path: singlePath, body: { email: `s${counted}@${domain}` } }, false);
    if (answer === undefined) return;
    if (answer.status !== 200 || answer.body['status'] !== expected)
      load.violations.push(`single at ${domain}: ${answer.status} ${answer.text}`);
    load.singles.push({ requestId: answer.requestId, told: Number(answer.creditsUsed) });
  }

  async function runTask(): Promise<void> {
    const number = (counted += 1);
    const emails = [
      ...Object.keys(outcomes).flatMap((domain) => [`t${number}@${domain}`, `u${number}@${domain}`]),
      `person${number % people.length}@greylist.test`,
    ];
    const headers = { 'idempotency-key': randomUUID() };
    const created = await ask({ path: bulkPath, body: { emails }, headers }, true);
    if (created?.status !== 201) {
      load.violations.push(`task: ${created?.status ?? ''} ${created?.text ?? ''}`);
      return;
    }
    const taskId = String(created.body['task_id']);
    for (;;) {
      const read = await ask({ method: 'GET', path: `${bulkPath}/${taskId}` }, true);
      if (read?.status !== 200) load.violations.push(`${taskId}: ${read?.status ?? ''} ${read?.text ?? ''}`);
      if (read?.status !== 200 || read.body['status'] === 'completed') {
        const results = (read?.body['results'] ?? {}) as Record<string, { status: string }>;
        const statuses = emails.map((email) => results[email]?.status);
        const expected = ['catch_all', 'catch_all', 'invalid', 'invalid', 'unknown', 'unknown', 'safe'];
        if (statuses.join() !== expected.join())
          load.violations.push(`${taskId} came out as ${statuses.join()}`);
        load.tasks.push({ taskId, conclusive: statuses.filter((status) => status !== 'unknown').length });
        return;
      }
      await sleep(50);
    }
  }

  const repeat = async (work: () => Promise<void>) => {
    while (!stopped) await work();
  };
  const running = [
    ...Array.from({ length: 6 }, () => repeat(verifyOne)),
    ...Array.from({ length: 3 }, () => repeat(runTask)),
  ];
  return {
    ...load,
    lost: () => lost,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}
