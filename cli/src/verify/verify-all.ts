import { createOwnSignals, systemClock, type Asker, type Engine, type OwnSignals } from '@mailproof/engine';
import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { answerFrom, type Answer } from './answer.ts';
import { mapInOrder } from './map-in-order.ts';
import { createTally } from './tally.ts';

/**
 * How many addresses the engine is given at once. It shares the conversations of a mail host among all who wait for it,
 * so those of a list are many; a domain gets no more of them than two conversations with each of a few hosts can hold.
 */
const usualBounds = { outstanding: 10, perGroup: 10, readAhead: 80 };
const listBounds = { outstanding: 1_000, perGroup: 100, readAhead: 4_000 };

type Verifying = {
  addresses: AsyncIterable<string>;
  /** How many there are, where that is known beforehand. */
  count: number | undefined;
  /** Nobody waits for one of a list: they share conversations, and have the time of an address in a task. */
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
