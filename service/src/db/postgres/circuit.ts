import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { isAnswering } from './is-answering.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { PostgresLine } from './postgres-line.ts';
import { within } from './within.ts';

/**
 * Opens lines to the database, and spares callers the wait for one that is gone.
 *
 *     closed ──no line can be opened, or nothing is answered──▶ open ──a line was opened──▶ closed
 *
 * While it is open every caller is refused at once, and one attempt every half second finds out when the
 * database is back. A line that is lost alone (cut, ended by an operator) opens nothing: the next caller gets another.
 */
export type Circuit = {
  connect: () => Promise<PostgresLine>;
  /** Whether callers are let through. */
  isClosed: () => boolean;
  /** Ends every line and every attempt. */
  close: () => Promise<void>;
};

type CircuitParts = {
  open: () => Promise<PostgresLine>;
  limits: Pick<PostgresLimits, 'retryMs' | 'silenceMs'>;
};

export function createCircuit({ open, limits }: CircuitParts): Circuit {
  const lines = new Set<PostgresLine>();
  // Three eighths of silence, one until it is looked for, four to ask: silence has ended within its limit.
  const watch = setInterval(() => void lookForSilence(), limits.silenceMs / 8).unref();
  let trouble: StoreUnavailableError | undefined;
  let retry: NodeJS.Timeout | undefined;
  let asking = false;
  let ended = false;

  async function openLine(): Promise<PostgresLine> {
    const line = await open();
    lines.add(line);
    line.onEnd(() => lines.delete(line));
    if (ended) line.cut();
    return line;
  }

  async function connect(): Promise<PostgresLine> {
    if (ended) throw new StoreUnavailableError('closed');
    if (trouble !== undefined) throw new StoreUnavailableError(trouble.fault, trouble.cause);
    const opening = openLine();
    try {
      return await within(opening, limits.silenceMs);
    } catch (error) {
      // Whoever asked is told that there is none; should it be opened after all, nobody has it.
      void opening.then((line) => line.close()).catch(() => undefined);
      // Out of connections, but we have some: whoever holds them goes on.
      if (error instanceof StoreUnavailableError && lines.size === 0) breakOpen(error);
      throw error;
    }
  }

  function breakOpen(error: StoreUnavailableError): void {
    if (trouble !== undefined || ended) return;
    trouble = error;
    retry = setTimeout(() => void tryAgain(), limits.retryMs).unref();
  }

  async function tryAgain(): Promise<void> {
    try {
      const line = await openLine();
      trouble = undefined;
      await line.close();
    } catch {
      if (!ended) retry = setTimeout(() => void tryAgain(), limits.retryMs).unref();
    }
  }

  /** A cut cable or a stopped server closes no connection: what was asked is just never answered. */
  async function lookForSilence(): Promise<void> {
    const silent = [...lines].some((line) => line.waitingMs() > (limits.silenceMs * 3) / 8);
    if (!silent || asking || trouble !== undefined) return;
    asking = true;
    const answered = await isAnswering([...lines], { open: openLine, withinMs: limits.silenceMs / 2 });
    asking = false;
    if (answered) return;
    breakOpen(new StoreUnavailableError('unreachable'));
    for (const line of lines) line.cut();
  }

  return {
    connect,
    isClosed: () => trouble === undefined && !ended,
    close: async () => {
      ended = true;
      clearInterval(watch);
      clearTimeout(retry);
      await Promise.all([...lines].map((line) => line.close()));
    },
  };
}
