/** What is measured: a request, the answer it must get, and the same through a bare route. */
import { setTimeout as pause } from 'node:timers/promises';
import type { BareRoute } from './bare-process.ts';
import { places, type ServiceUnderTest } from './start-service.ts';
import { serialMark, wireRequest } from './wire-request.ts';

export type Measure = {
  id: 'single' | 'running' | 'completed' | 'bulk';
  title: string;
  /** Share of the bare route's rate that is the goal. */
  goal: number | undefined;
  /** As it goes to the service; the bare route gets the same under its own path. */
  request: string;
  bareRequest: string;
  bare: BareRoute;
  expectedStatus: number;
  /** At most so many at once: more than the service lets in of a kind would measure its queue. */
  mostConnections: number;
};

const singlePath = '/api/v1/email-verification';
const bulkPath = '/api/v1/bulk-email-verification';
const perTask = 100;
const settleWithinMs = 60_000;

export async function prepareMeasures(service: ServiceUnderTest): Promise<Measure[]> {
  const completed = await createTask(service, batchAt(places.disposable), 'completed');
  const half = [
    ...batchAt(places.disposable).slice(0, perTask / 2),
    ...batchAt(places.greylisting).slice(perTask / 2),
  ];
  const running = await createTask(service, half, 'running');
  const make = createMeasure(service);
  return [
    await make({
      id: 'single',
      title: 'POST single, a verdict without network, durable credits',
      goal: 0.4,
      asked: { method: 'POST', path: singlePath, body: { email: `user${serialMark}@${places.disposable}` } },
    }),
    await make({
      id: 'running',
      title: 'GET a running task',
      goal: 0.6,
      asked: { method: 'GET', path: `${bulkPath}/${running}`, body: undefined },
    }),
    await make({
      id: 'completed',
      title: `GET a completed task, ${perTask} results`,
      goal: 0.6,
      asked: { method: 'GET', path: `${bulkPath}/${completed}`, body: undefined },
    }),
    // The last, for its tasks stay: their addresses wait for a host that is silent, so that creation is measured alone.
    await make({
      id: 'bulk',
      title: `POST bulk, ${perTask} addresses`,
      goal: undefined,
      mostConnections: 16,
      asked: { method: 'POST', path: bulkPath, body: { emails: batchAt(places.silent) } },
    }),
  ];
}

type Wanted = Pick<Measure, 'id' | 'title' | 'goal'> & {
  mostConnections?: number;
  asked: { method: 'GET' | 'POST'; path: string; body: unknown };
};

/** Asks once, so that the bare route answers with just what the service does. */
function createMeasure(service: ServiceUnderTest) {
  return async ({ id, title, goal, asked, mostConnections = Infinity }: Wanted): Promise<Measure> => {
    const first = await call(service, asked);
    if (first.status >= 300) throw new Error(`${title}: ${first.status} ${JSON.stringify(first.answer)}`);
    const { key } = service;
    const path = `/bare/${id}`;
    return {
      id,
      title,
      goal,
      request: wireRequest({ ...asked, key }),
      bareRequest: wireRequest({ ...asked, path, key }),
      bare: { method: asked.method, path, status: first.status, answer: first.answer },
      expectedStatus: first.status,
      mostConnections,
    };
  };
}

function batchAt(domain: string): string[] {
  return Array.from({ length: perTask }, (_, index) => `user${index}-${serialMark}@${domain}`);
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
    const { answer: task } = await call(service, {
      method: 'GET',
      path: `${bulkPath}/${id}`,
      body: undefined,
    });
    const isHalfDone =
      field(task, 'status') === 'running' && Number(field(task, 'count_checked')) >= perTask / 2;
    if (wanted === 'running' ? isHalfDone : field(task, 'status') === wanted) return id;
    await pause(100);
  }
  throw new Error(`the task for the measurement did not become ${wanted}`);
}

async function call(
  { port, key }: ServiceUnderTest,
  { method, path, body }: Wanted['asked'],
): Promise<{ status: number; answer: unknown }> {
  const text = body === undefined ? undefined : JSON.stringify(body).replaceAll(serialMark, '00000000');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  return { status: response.status, answer: await response.json() };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
