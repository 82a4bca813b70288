/** What is measured: a request, and the answer it must get. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceUnderTest } from './start-service.ts';
import { places } from './surroundings.ts';
import { domainMark, mailboxMark, serialMark, wireRequest, withNumber } from './wire-request.ts';

export type MeasureId = 'host' | 'known' | 'running' | 'completed' | 'form' | 'bulk';

export type Measure = {
  id: MeasureId;
  title: string;
  /** Share of the bare route's rate that is the goal. */
  goal: number | undefined;
  asked: Asked;
  /** As it goes to the service. */
  request: string;
  /** What the service answered to the first of them. */
  first: { status: number; answer: unknown };
  /** At most so many at once: more than the service lets in of a kind would measure its queue. */
  mostConnections: number;
};

/** With the key of the account, unless it is said by what, and from which page. */
type Asked = { method: 'GET' | 'POST'; path: string; body: unknown; key?: string; origin?: string };

/** Measured one after the other, with a service of its own for each kind of pacing. */
export const measureGroups: { pacing: 'on' | 'off'; ids: MeasureId[] }[] = [
  // Every address is asked for once, and hosts are asked as fast as they answer.
  { pacing: 'off', ids: ['host'] },
  // Bulk is the last, for its tasks stay: their addresses wait for a host that is silent, so that creation is measured alone.
  { pacing: 'on', ids: ['known', 'running', 'completed', 'form', 'bulk'] },
];

const singlePath = '/api/v1/email-verification';
const bulkPath = '/api/v1/bulk-email-verification';
const perTask = 100;
const settleWithinMs = 60_000;

/** Asks once, to see that it is answered. */
export async function prepareMeasure(service: ServiceUnderTest, id: MeasureId): Promise<Measure> {
  const { mostConnections = Infinity, ...wanted } = await describeMeasure(service, id);
  const first = await call(service, wanted.asked);
  if (first.status >= 300)
    throw new Error(`${wanted.title}: ${first.status} ${JSON.stringify(first.answer)}`);
  const request = wireRequest({ key: service.key, ...wanted.asked });
  return { id, ...wanted, request, first, mostConnections };
}

type Wanted = Pick<Measure, 'title' | 'goal' | 'asked'> & { mostConnections?: number };

async function describeMeasure(service: ServiceUnderTest, id: MeasureId): Promise<Wanted> {
  switch (id) {
    case 'host':
      return {
        title: 'POST single, a mail host is asked, durable credits',
        goal: undefined,
        asked: single(`alive${mailboxMark}@d${domainMark}.test`),
      };
    case 'known':
      return {
        title: 'POST single, a verdict without network, durable credits',
        goal: undefined,
        asked: single(`user${serialMark}@${places.disposable}`),
      };
    case 'running':
      return { title: 'GET a running task', goal: 0.6, asked: getTask(await createRunningTask(service)) };
    case 'completed':
      return {
        title: `GET a completed task, ${perTask} results`,
        goal: 0.6,
        asked: getTask(await createTask(service, batchAt(places.disposable), 'completed')),
      };
    case 'form':
      return {
        title: 'POST form check, DNS known, of a thousand domains',
        goal: undefined,
        asked: await formCheck(service),
      };
    case 'bulk':
      return {
        title: `POST bulk, ${perTask} addresses`,
        goal: undefined,
        mostConnections: 16,
        asked: { method: 'POST', path: bulkPath, body: { emails: batchAt(places.silent) } },
      };
  }
}

function single(email: string): Asked {
  return { method: 'POST', path: singlePath, body: { email } };
}

const page = 'https://www.example.com';

/** By a key that is good for more than can be asked. */
async function formCheck(service: ServiceUnderTest): Promise<Asked> {
  const body = { origins: [page], checks_per_day: 10_000_000, checks_per_visitor: 10_000_000 };
  const { answer } = await call(service, { method: 'POST', path: '/api/v1/account/form-keys', body });
  const asked = {
    method: 'POST',
    path: '/api/v1/form-check',
    key: String(field(answer, 'form_key')),
  } as const;
  return { ...asked, origin: page, body: { email: `user${mailboxMark}@d${domainMark}.test` } };
}

function getTask(id: string): Asked {
  return { method: 'GET', path: `${bulkPath}/${id}`, body: undefined };
}

function batchAt(domain: string): string[] {
  return Array.from({ length: perTask }, (_, index) => `user${index}-${serialMark}@${domain}`);
}

function createRunningTask(service: ServiceUnderTest): Promise<string> {
  const half = perTask / 2;
  const emails = [...batchAt(places.disposable).slice(0, half), ...batchAt(places.greylisting).slice(half)];
  return createTask(service, emails, 'running');
}

/** Creates a task and waits until it is as it should be for the measurement. */
async function createTask(
  service: ServiceUnderTest,
  emails: string[],
  wanted: 'running' | 'completed',
): Promise<string> {
  const { answer } = await call(service, { method: 'POST', path: bulkPath, body: { emails } });
  const id = String(field(answer, 'task_id'));
  for (const startedAt = performance.now(); performance.now() - startedAt < settleWithinMs;) {
    const { answer: task } = await call(service, getTask(id));
    const isHalfDone =
      field(task, 'status') === 'running' && Number(field(task, 'count_checked')) >= perTask / 2;
    if (wanted === 'running' ? isHalfDone : field(task, 'status') === wanted) return id;
    await pause(100);
  }
  throw new Error(`the task for the measurement did not become ${wanted}`);
}

async function call(
  { port, key: ofAccount }: ServiceUnderTest,
  { method, path, body, key = ofAccount, origin }: Asked,
): Promise<Measure['first']> {
  const text = body === undefined ? undefined : withNumber(JSON.stringify(body))(0);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(origin === undefined ? {} : { origin }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  return { status: response.status, answer: await response.json() };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
