import {
  createOwnSignals,
  systemClock,
  type Asker,
  type Engine,
  type Explanation,
  type Outcome,
  type OwnSignals,
  type SyntaxFault,
  type Verdict,
} from '@mailproof/engine';
import { exitCodes, type ExitCode, type Surroundings } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { mapInOrder } from './map-in-order.ts';

/**
 * The number of addresses that the engine works on at once. Addresses at one mail host share its conversations, so a
 * list has many. A domain gets as many as two conversations with each of a few hosts can hold.
 */
const usualBounds = { outstanding: 10, perGroup: 10, readAhead: 80 };
const listBounds = { outstanding: 1_000, perGroup: 100, readAhead: 4_000 };

type Verifying = {
  addresses: AsyncIterable<string>;
  /** The number of addresses, if it is known beforehand. */
  count: number | undefined;
  /** Addresses of a list share conversations, and have the time limit of an address in a task. */
  isList: boolean;
  present: (answer: Answer) => string;
  /** Closed here when all is done. */
  engine: Engine;
  timeoutMs: number;
  surroundings: Surroundings;
};

export async function verifyAll({
  addresses,
  count,
  isList,
  present,
  engine,
  timeoutMs,
  surroundings,
}: Verifying): Promise<ExitCode> {
  const { terminal, signal } = surroundings;
  const tally = createTally(count, { terminal, now: () => systemClock.now() });
  // From a signal of this list, so that nothing of it stays with the caller's.
  const signals = createOwnSignals(AbortSignal.any([signal]));
  const asker = { urgency: isList ? 'bulk' : 'single', account: '' } as const;
  const verifyOne = (email: string) => answerOne(email, { engine, timeoutMs, asker, signals, terminal });
  const bounds = { ...(isList ? listBounds : usualBounds), groupOf: domainOf };
  try {
    for await (const answer of mapInOrder(addresses, verifyOne, bounds)) {
      signal.throwIfAborted();
      await terminal.write(present(answer));
      tally.count(answer);
    }
    terminal.progress('');
    if (tally.total() !== 1 && terminal.watched) terminal.tell(tally.summary());
    return tally.errors() === 0 ? exitCodes.ok : exitCodes.found;
  } finally {
    engine.close();
  }
}

type Answering = Pick<Verifying, 'engine' | 'timeoutMs'> & {
  asker: Asker;
  signals: OwnSignals;
  terminal: Terminal;
};

async function answerOne(
  email: string,
  { engine, timeoutMs, asker, signals, terminal }: Answering,
): Promise<Answer> {
  const own = signals.begin();
  try {
    const deadline = systemClock.now() + timeoutMs;
    return answerFrom(email, await engine.verify(email, { deadline, signal: own.signal, asker }));
  } catch (error) {
    own.signal.throwIfAborted();
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    terminal.tell(`mailproof: Internal error: ${what}`);
    return { kind: 'error', email, error: 'verification_failed', explanation: undefined };
  } finally {
    signals.end(own);
  }
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** The reasons with which the API would answer instead of a verdict. */
type ErrorReason =
  'invalid_email' | 'verification_unavailable' | 'verification_timeout' | 'verification_failed';

/** The answer for one address. Only a defect of ours leaves nothing to explain. */
export type Answer =
  | { kind: 'verdict'; verdict: Verdict; explanation: Explanation }
  | { kind: 'error'; email: string; error: ErrorReason; explanation: Explanation | undefined };

function answerFrom(email: string, outcome: Outcome): Answer {
  switch (outcome.kind) {
    case 'verdict':
      return outcome;
    case 'invalid_address':
      return { kind: 'error', email, error: 'invalid_email', explanation: explainFault(outcome.fault) };
    case 'unavailable':
      return { kind: 'error', email, error: 'verification_unavailable', explanation: outcome.explanation };
    case 'timeout':
      return { kind: 'error', email, error: 'verification_timeout', explanation: outcome.explanation };
  }
}

function explainFault(fault: SyntaxFault): Explanation {
  return { stage: 'syntax', reason: fault, retry: { advised: false }, replies: [], timings_ms: { total: 0 } };
}

/** The answer as a line of JSON: the API's verification result, or the address with the API's error. */
export function answerAsJson(answer: Answer, { explain }: { explain: boolean }): string {
  const explanation = explain ? answer.explanation : undefined;
  switch (answer.kind) {
    case 'verdict':
      return JSON.stringify(explanation === undefined ? answer.verdict : { ...answer.verdict, explanation });
    case 'error':
      // JSON has no word for what is undefined, and leaves it out.
      return JSON.stringify({ email: answer.email, error: answer.error, explanation });
  }
}

/** Redrawing more often than this is noise to the eye and work for the terminal. */
const redrawEveryMs = 100;

type Tally = { count(answer: Answer): void; total(): number; errors(): number; summary(): string };

/** Counts the answers and shows the progress. `known` is the number of addresses, if it is known. */
function createTally(
  known: number | undefined,
  { terminal, now }: { terminal: Terminal; now: () => number },
): Tally {
  const counts = new Map<string, number>();
  let total = 0;
  let errors = 0;
  let drawnAt = -Infinity;

  function summary(): string {
    const parts = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count} ${name}`);
    const done = known === undefined ? String(total) : `${total} of ${known}`;
    return `${done} done: ${parts.join(', ')}`;
  }

  return {
    count(answer) {
      const name =
        answer.kind === 'verdict' ? answer.verdict.status : answer.error.replace('verification_', '');
      counts.set(name, (counts.get(name) ?? 0) + 1);
      total += 1;
      if (answer.kind === 'error') errors += 1;
      const at = now();
      if (at - drawnAt < redrawEveryMs) return;
      drawnAt = at;
      terminal.progress(summary().slice(0, terminal.columns - 1));
    },
    total: () => total,
    errors: () => errors,
    summary,
  };
}
