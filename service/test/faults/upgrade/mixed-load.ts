import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldDescription } from '@mailproof/world';
import {
  bulkPath,
  chargedBy,
  singlePath,
  type ApiClient,
  type Answered,
  type Call,
} from '../../support/api-client.ts';

const zone = (domain: string) => ({ [domain]: { mx: [[10, `mx.${domain}`] as [number, string]] } });
const people = Array.from({ length: 2_000 }, (_, n) => [`person${n}`, 'exists'] as const);

/** Domains at which every address has the same outcome. */
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

/** Two addresses of each of these, and one that is deferred at first. */
const expectedOfTask = ['catch_all', 'catch_all', 'invalid', 'invalid', 'unknown', 'unknown', 'safe'];

const patienceMs = 90_000;

export type SingleAnswer = { requestId: string; told: number };

export type MixedLoad = {
  singles: SingleAnswer[];
  /** Completed tasks that were read, each with its number of conclusive answers. */
  tasks: { taskId: string; conclusive: number }[];
  /** Singles that were refused (503) and repeated: charged only if the service could not know it (see the test). */
  refused: string[];
  /** Requests that were sent and never answered: they may have been charged. */
  lost: () => number;
  violations: string[];
  stop: () => Promise<void>;
};

type LoadParts = { key: string; /** Those that can be asked at this moment. */ clients: () => ApiClient[] };

/** Starts clients that verify single addresses and lists through any running process, until they are stopped. */
export function startMixedLoad(parts: LoadParts): MixedLoad {
  const load: Omit<MixedLoad, 'stop' | 'lost'> = { singles: [], refused: [], tasks: [], violations: [] };
  const asker = createAsker(parts, load);
  let [stopped, counted] = [false, 0];

  async function verifyOne(): Promise<void> {
    const domains = Object.entries(outcomes);
    const [domain, expected] = domains[(counted += 1) % domains.length] ?? ['', ''];
    const answer = await asker.ask({ path: singlePath, body: { email: `s${counted}@${domain}` } });
    if (answer === undefined) return;
    if (answer.status !== 200 || answer.body['status'] !== expected)
      load.violations.push(`single at ${domain}: ${answer.status} ${answer.text}`);
    load.singles.push({ requestId: answer.requestId, told: chargedBy(answer) });
  }

  async function runTask(): Promise<void> {
    const number = (counted += 1);
    const emails = [
      ...Object.keys(outcomes).flatMap((domain) => [`t${number}@${domain}`, `u${number}@${domain}`]),
      `person${number % people.length}@greylist.test`,
    ];
    const headers = { 'idempotency-key': randomUUID() };
    const created = await asker.insist({ path: bulkPath, body: { emails }, headers });
    if (created?.status !== 201) {
      load.violations.push(`task: ${created?.status ?? ''} ${created?.text ?? ''}`);
      return;
    }
    const taskId = String(created.body['task_id']);
    const statuses = await readResults(taskId, emails, asker);
    if (statuses.join() !== expectedOfTask.join())
      load.violations.push(`${taskId} came out as ${statuses.join()}`);
    load.tasks.push({ taskId, conclusive: statuses.filter((status) => status !== 'unknown').length });
  }

  const repeat = async (work: () => Promise<void>) => {
    while (!stopped && load.violations.length === 0) await work();
  };
  const running = [
    ...Array.from({ length: 6 }, () => repeat(verifyOne)),
    ...Array.from({ length: 3 }, () => repeat(runTask)),
  ];
  return {
    ...load,
    lost: asker.lost,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

type Asker = {
  /** Sends one request. If its answer is lost, it is unknown whether it was charged. */
  ask: (call: Call) => Promise<Answered | undefined>;
  /** Repeats a request until it is answered. */
  insist: (call: Call) => Promise<Answered | undefined>;
  lost: () => number;
};

/** Asks the processes in turn. After a refusal, or if a process is down, it asks the next one, for a limited time. */
function createAsker(
  { key, clients }: LoadParts,
  { refused, violations }: Pick<MixedLoad, 'refused' | 'violations'>,
): Asker {
  let [lost, counted] = [0, 0];
  async function send(call: Call, isSafeToRepeat: boolean): Promise<Answered | undefined> {
    const givesUpAt = performance.now() + patienceMs;
    while (performance.now() < givesUpAt) {
      const there = clients();
      const client = there[(counted += 1) % there.length];
      const answer = await client?.send({ key, ...call });
      if (answer?.kind === 'answered' && answer.status !== 503) return answer;
      if (answer?.kind === 'answered' && !isSafeToRepeat) refused.push(answer.requestId);
      if (answer?.kind === 'lost' && !isSafeToRepeat) {
        lost += 1;
        return undefined;
      }
      await sleep(20);
    }
    violations.push(`nobody answered ${call.path}`);
    return undefined;
  }
  return { ask: (call) => send(call, false), insist: (call) => send(call, true), lost: () => lost };
}

/** Returns the statuses of a task's addresses, once it is completed. */
async function readResults(
  taskId: string,
  emails: string[],
  { insist }: Asker,
): Promise<(string | undefined)[]> {
  const givesUpAt = performance.now() + patienceMs;
  while (performance.now() < givesUpAt) {
    const read = await insist({ method: 'GET', path: `${bulkPath}/${taskId}` });
    if (read?.status !== 200) return [`${read?.status ?? ''} ${read?.text ?? ''}`];
    const results = (read.body['results'] ?? {}) as Record<string, { status: string }>;
    if (read.body['status'] === 'completed') return emails.map((email) => results[email]?.status);
    await sleep(50);
  }
  return ['not completed'];
}
