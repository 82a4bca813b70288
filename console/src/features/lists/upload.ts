import { contractLimits, type ListRecord } from '@mailproof/client';
import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { CallFailed, type Failure, failureOf, readAnswer } from '../../api/call.ts';
import { pathTo } from '../../app/base-path.ts';

/**
 * The file of the upload: `idle` → `sending` → its list, or `failed`. The upload continues while other pages are shown.
 */
export type UploadState =
  | { kind: 'idle' }
  | { kind: 'sending'; name: string; sent: number; size: number }
  | { kind: 'failed'; name: string; failure: Failure };

export type Upload = {
  state: ReadonlySignal<UploadState>;
  send(content: Blob, name: string): Promise<void>;
  /** Sends the same file under the same key. If only the answer was lost, the service returns the existing list. */
  again(): Promise<void>;
  /** Sends the same file with the name of its address column. */
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

/** Attempts in all while the service is busy; it names the pause between them. */
const mostAttempts = 10;

function isBusy(failure: Failure): failure is Failure & { retryAfterSeconds: number } {
  return failure.status === 503 && failure.retryAfterSeconds !== undefined;
}

type Brought = { content: Blob; name: string; key: string; column?: string };

export const UploadContext = createContext<Upload | undefined>(undefined);

export function useUpload(): Upload {
  const upload = useContext(UploadContext);
  if (upload === undefined) throw new Error('useUpload was called outside of UploadContext');
  return upload;
}

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
      // The contract fixes the shape of the answer, and the service's tests hold it to its schema.
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

type FileToSend = {
  path: string;
  content: Blob;
  csrfToken: string | undefined;
  idempotencyKey: string;
  signal: AbortSignal;
  /** Called with the number of bytes sent so far. */
  onProgress: (sent: number) => void;
};

/** Sends a file as the body and reads it from disk meanwhile. Only XMLHttpRequest reports the progress of an upload. */
export async function sendFile(file: FileToSend): Promise<unknown> {
  const request = await exchange(file);
  return readAnswer({
    text: request.responseText,
    status: request.status,
    requestId: request.getResponseHeader('x-request-id'),
    retryAfter: request.getResponseHeader('retry-after'),
  });
}

/** Resolves with the answered request; rejects without an answer. */
function exchange(file: FileToSend): Promise<XMLHttpRequest> {
  const { path, content, csrfToken, idempotencyKey, signal, onProgress } = file;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = (reason: string) => () =>
      reject(new CallFailed({ reason, status: undefined, requestId: undefined }));
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onerror = fail('network_error');
    request.onabort = fail('upload_stopped');
    request.onload = () => resolve(request);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.open('POST', path);
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('content-type', content.type === '' ? 'application/octet-stream' : content.type);
    request.setRequestHeader('idempotency-key', idempotencyKey);
    if (csrfToken !== undefined) request.setRequestHeader('x-csrf-token', csrfToken);
    request.send(content);
  });
}

type DownloadWish = { rows: string; format: string; withRoles: boolean };

const listsPath = '/api/v1/lists';

/** Returns the path of a row with its explanation. */
export function rowPath(listId: string, row: number): string {
  return pathOf(listId, `/rows/${row}`);
}

/** Returns the path of the download, which the browser opens in its own session. */
export function downloadPath(listId: string, { rows, format, withRoles }: DownloadWish): string {
  const roles = rows === 'sendable' && !withRoles ? 'false' : undefined;
  return `${pathOf(listId, '/download')}${queryOf({ rows, format, roles })}`;
}

function uploadPath(name: string, column?: string): string {
  return `${listsPath}${queryOf({ name, column })}`;
}

function pathOf(listId: string, below: string): string {
  return `${listsPath}/${encodeURIComponent(listId)}${below}`;
}

function queryOf(fields: Record<string, string | undefined>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `?${new URLSearchParams(given).toString()}`;
}
