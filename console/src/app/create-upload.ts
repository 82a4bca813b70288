import { signal, type ReadonlySignal } from '@preact/signals';
import { contractLimits, type ListRecord } from '@mailproof/client';
import { failureOf, type Failure } from '../api/failure.ts';
import { uploadPath } from '../api/lists-api.ts';
import { pathTo } from './base-path.ts';
import type { sendFile } from '../api/send-file.ts';

/** The file that is brought: none → `sending` → its list, or `failed`. It goes on while other pages are shown. */
export type UploadState =
  | { kind: 'idle' }
  | { kind: 'sending'; name: string; sent: number; size: number }
  | { kind: 'failed'; name: string; failure: Failure };

export type Upload = {
  state: ReadonlySignal<UploadState>;
  send(content: Blob, name: string): Promise<void>;
  /** The same file under the same key: where only the answer was lost, its list is there already. */
  again(): Promise<void>;
  /** The same file, read by the column that is named. */
  withColumn(column: string): Promise<void>;
  stop(): void;
};

type UploadParts = {
  sendFile: typeof sendFile;
  csrfToken: () => string | undefined;
  randomKey: () => string;
  wait: (ms: number) => Promise<void>;
  onSessionEnded: () => void;
  onList: (list: ListRecord) => void;
};

/** A service that is busy says when to come again; the file is sent again by itself, so many times in all. */
const mostAttempts = 10;

function isBusy(failure: Failure): failure is Failure & { retryAfterSeconds: number } {
  return failure.status === 503 && failure.retryAfterSeconds !== undefined;
}

type Brought = { content: Blob; name: string; key: string; column?: string };

export function createUpload(parts: UploadParts): Upload {
  const state = signal<UploadState>({ kind: 'idle' });
  let brought: Brought | undefined;
  let stopping = new AbortController();

  async function send(file: Brought): Promise<void> {
    stopping = new AbortController();
    const { signal } = stopping;
    try {
      const list = await sendUntilTaken(file, signal);
      state.value = { kind: 'idle' };
      // The answer's shape is the contract's; the service's own tests hold it to its schema.
      parts.onList(list as ListRecord);
    } catch (error) {
      if (signal.aborted) return;
      const failure = failureOf(error);
      state.value = { kind: 'failed', name: file.name, failure };
      if (failure.status === 401) parts.onSessionEnded();
    }
  }

  async function sendUntilTaken({ content, name, key, column }: Brought, signal: AbortSignal) {
    const show = (sent: number) => {
      state.value = { kind: 'sending', name, sent, size: content.size };
    };
    for (let attempt = 1; ; attempt += 1) {
      show(0);
      try {
        return await parts.sendFile({
          path: pathTo(
            uploadPath(Array.from(name).slice(0, contractLimits.listNameCharacters).join(''), column),
          ),
          content,
          csrfToken: parts.csrfToken(),
          idempotencyKey: key,
          signal,
          onProgress: show,
        });
      } catch (error) {
        const failure = failureOf(error);
        if (!isBusy(failure) || attempt === mostAttempts) throw error;
        await parts.wait(Math.max(1, failure.retryAfterSeconds) * 1_000);
        signal.throwIfAborted();
      }
    }
  }

  return {
    state,
    async send(content, name) {
      if (state.peek().kind === 'sending') return;
      brought = { content, name, key: parts.randomKey() };
      await send(brought);
    },
    async again() {
      if (brought !== undefined && state.peek().kind === 'failed') await send(brought);
    },
    async withColumn(column) {
      if (brought === undefined || state.peek().kind !== 'failed') return;
      brought = { ...brought, key: parts.randomKey(), column };
      await send(brought);
    },
    stop: () => {
      stopping.abort();
      state.value = { kind: 'idle' };
    },
  };
}
