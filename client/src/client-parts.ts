/** What is sent: text, or a file that is there or is read as it goes. */
export type FetchBody = string | Blob | ReadableStream<Uint8Array>;

/** What the client needs of fetch. The global one fits, and so does any other of the same manners. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: FetchBody;
    /** Where the body is a stream: it is sent before the answer is read. */
    duplex?: 'half';
    signal: AbortSignal;
    redirect: 'error';
  },
) => Promise<{
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
  body?: ReadableStream<Uint8Array> | null;
}>;

/** What the client takes from its surroundings; tests hand in their own. */
export type ClientParts = {
  /** Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to 1, 1 excluded. */
  random(): number;
  /** Milliseconds since the epoch. */
  now(): number;
};

export const systemParts: ClientParts = {
  random: () => Math.random(),
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const giveUp = () => {
        clearTimeout(timer);
        reject(reasonOf(signal));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      }, ms);
      if (signal?.aborted === true) giveUp();
      else signal?.addEventListener('abort', giveUp, { once: true });
    }),
};

/** What an abort is told with. A reason that is no error is wrapped, since only errors are thrown. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
