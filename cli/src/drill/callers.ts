/**
 * Clients of the service during a fault: single verifications at a fixed rate, and a task now and then. Each is
 * retried under its idempotency key, as our own client does. So each ends with one answer, and what all of them were
 * told they paid must be what the ledger says.
 */
import { randomUUID } from 'node:crypto';
import { createClient, MailproofError, type Client, type Fetch } from '@mailproof/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { questionOf, type KnownAddress } from './installation.ts';

/** One request of a single verification on the wire. Times are of `performance.now`. */
export type Attempt = { begunAt: number; answeredAt?: number; status?: number };

type CallersOrder = {
  url: string;
  apiKey: string;
  perSecond: number;
  /** The number of the first question: no address is asked twice. */
  firstQuestion: number;
};

export type Callers = {
  attempts: readonly Attempt[];
  /** Creates a task with this number of addresses, and follows it. */
  startTask(addresses: number): void;
  /** Starts no further request, retries the open ones, and returns all results. */
  settle(signal: AbortSignal): Promise<Told>;
  stop(): void;
  nextQuestion(): number;
};

/** The answers to the callers. */
export type Told = {
  singles: number;
  /** With 200. */
  answered: number;
  /** With 502 or 504: no verdict could be had, and nothing is charged. */
  refused: number;
  /** Without any answer at the end. */
  unanswered: number;
  tasks: number;
  completedTasks: number;
  wrong: Mistake[];
  falseUnknown: Mistake[];
  creditsUsed: number;
};

type Mistake = KnownAddress & { told: string; reason?: string };

/** A caller waits as long as a person at a form would, and retries later. */
const limits = { attempts: 6, attemptMs: 35_000, retryLongestMs: 4_000, pollLongestMs: 1_000 };

/** Above this number no new caller starts. */
const mostAtOnce = 600;
/** Retries that run at once. */
const settledAtOnce = 8;
const settleWithinMs = 60_000;

export function startCallers(order: CallersOrder): Callers {
  const attempts: Attempt[] = [];
  const stop = new AbortController();
  const client = createClient({ ...order, limits, baseUrl: order.url, fetch: recordingFetch(attempts) });
  const told = createTold();
  const open = new Set<Promise<void>>();
  const unanswered: Single[] = [];
  let number = order.firstQuestion;

  function call(): void {
    if (open.size >= mostAtOnce) return;
    told.singles += 1;
    const single = { question: questionOf(number), key: randomUUID() };
    number += 1;
    const asking = ask(single, { client, told, signal: stop.signal })
      .then((kind) => {
        if (kind === 'no_answer') unanswered.push(single);
      })
      .finally(() => void open.delete(asking));
    open.add(asking);
  }
  const timer = setInterval(call, 1_000 / order.perSecond);
  const following: Promise<void>[] = [];

  return {
    attempts,
    nextQuestion: () => number,
    startTask(addresses) {
      const questions = Array.from({ length: addresses }, (_, n) => questionOf(number + n));
      number += addresses;
      told.tasks += 1;
      following.push(followTask({ questions, key: randomUUID() }, { client, told, signal: stop.signal }));
    },
    async settle(signal) {
      clearInterval(timer);
      const late = setTimeout(() => stop.abort(), settleWithinMs);
      const end = () => stop.abort();
      signal.addEventListener('abort', end, { once: true });
      try {
        await Promise.all(open);
        await askAgain(unanswered, { client, told, signal: stop.signal });
        await Promise.all(following);
      } finally {
        clearTimeout(late);
        signal.removeEventListener('abort', end);
      }
      told.unanswered = unanswered.length;
      return told;
    },
    stop() {
      clearInterval(timer);
      stop.abort();
    },
  };
}

type Single = { question: KnownAddress; key: string };
type AskParts = { client: Client; told: Told; signal: AbortSignal };

async function ask({ question, key }: Single, parts: AskParts): Promise<'answered' | 'no_answer'> {
  const { client, told, signal } = parts;
  try {
    const answer = await client.verify(question.email, { idempotencyKey: key, explain: true, signal });
    told.answered += 1;
    told.creditsUsed += answer.creditsUsed;
    judge(question, answer, told);
    return 'answered';
  } catch (error) {
    if (!signal.aborted && !(error instanceof MailproofError)) throw error;
    const status = error instanceof MailproofError ? error.status : undefined;
    if (status !== 502 && status !== 504) return 'no_answer';
    told.refused += 1;
    return 'answered';
  }
}

function judge(question: KnownAddress, answer: { status: string; explanation?: unknown }, told: Told): void {
  if (answer.status === question.truth) return;
  const { explanation } = answer;
  const hasReason = typeof explanation === 'object' && explanation !== null && 'reason' in explanation;
  const reason = hasReason ? { reason: String(explanation.reason) } : {};
  const mistakes = answer.status === 'unknown' ? told.falseUnknown : told.wrong;
  mistakes.push({ ...question, told: answer.status, ...reason });
}

/** Asks again, a few at a time, until each has an answer or the time is up. */
async function askAgain(unanswered: Single[], parts: AskParts): Promise<void> {
  async function work(): Promise<void> {
    while (!parts.signal.aborted) {
      const single = unanswered.shift();
      if (single === undefined) return;
      if ((await ask(single, parts)) === 'no_answer') unanswered.push(single);
    }
  }
  await Promise.all(Array.from({ length: settledAtOnce }, work));
}

type Task = { questions: KnownAddress[]; key: string };

/** Follows a task to its end, through whatever happens meanwhile. */
async function followTask({ questions, key }: Task, { client, told, signal }: AskParts): Promise<void> {
  const emails = questions.map(({ email }) => email);
  const isOver = () => signal.aborted;
  let taskId: string | undefined;
  while (!isOver()) {
    try {
      const onCreated = (created: { task_id: string }) => void (taskId = created.task_id);
      const options = { idempotencyKey: key, taskId, explain: true, onCreated, signal };
      const { results, creditsUsed } = await client.runTask(emails, options);
      told.completedTasks += 1;
      told.creditsUsed += creditsUsed;
      for (const question of questions) {
        const record = results[question.email];
        if (record !== undefined) judge(question, record, told);
        else told.wrong.push({ ...question, told: 'no result' });
      }
      return;
    } catch (error) {
      if (!isOver() && !(error instanceof MailproofError)) throw error;
      await sleep(500);
    }
  }
}

const singlePath = '/api/v1/email-verification';

/** Writes down every request of a single verification and what came of it. */
function recordingFetch(attempts: Attempt[]): Fetch {
  return async (url, init) => {
    if (!url.includes(singlePath)) return fetch(url, init);
    const attempt: Attempt = { begunAt: performance.now() };
    attempts.push(attempt);
    const answer = await fetch(url, init);
    attempt.answeredAt = performance.now();
    attempt.status = answer.status;
    return answer;
  };
}

function createTold(): Told {
  return {
    singles: 0,
    answered: 0,
    refused: 0,
    unanswered: 0,
    tasks: 0,
    completedTasks: 0,
    wrong: [],
    falseUnknown: [],
    creditsUsed: 0,
  };
}
