import { systemClock, type Engine } from '@mailproof/engine';
import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { answerFrom, type Answer } from './answer.ts';
import { mapInOrder } from './map-in-order.ts';
import { createTally } from './tally.ts';

/** Results may wait for a slower one before them, so more are begun than run side by side; times this. */
const windowPerSlot = 8;

type Verifying = {
  addresses: AsyncIterable<string>;
  /** How many there are, where that is known beforehand. */
  count: number | undefined;
  atOnce: number;
  present: (answer: Answer) => string;
  /** Closed here when all is done. */
  engine: Engine;
  timeoutMs: number;
  surroundings: Surroundings;
};

export async function verifyAll({
  addresses,
  count,
  atOnce,
  present,
  engine,
  timeoutMs,
  surroundings,
}: Verifying): Promise<ExitCode> {
  const { terminal, signal } = surroundings;
  const tally = createTally(count, { terminal, now: () => systemClock.now() });
  const verifyOne = (email: string) => answerOne(email, engine, { timeoutMs, surroundings });
  try {
    for await (const answer of mapInOrder(addresses, verifyOne, { atOnce, window: atOnce * windowPerSlot })) {
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

async function answerOne(
  email: string,
  engine: Engine,
  { timeoutMs, surroundings }: Pick<Verifying, 'timeoutMs' | 'surroundings'>,
): Promise<Answer> {
  const { signal, terminal } = surroundings;
  try {
    const deadline = systemClock.now() + timeoutMs;
    return answerFrom(email, await engine.verify(email, { deadline, signal }));
  } catch (error) {
    signal.throwIfAborted();
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    terminal.tell(`mailproof: Internal error: ${what}`);
    return { kind: 'error', email, error: 'verification_failed', explanation: undefined };
  }
}
