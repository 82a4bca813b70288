import { readAnswer } from './call.ts';
import { CallFailed } from './failure.ts';

type FileToSend = {
  path: string;
  content: Blob;
  csrfToken: string | undefined;
  idempotencyKey: string;
  signal: AbortSignal;
  /** Bytes that have left so far. */
  onProgress: (sent: number) => void;
};

/**
 * Sends a file as the body, read from the disk as it goes. Of all that browsers offer only XMLHttpRequest tells how
 * far an upload is.
 */
export async function sendFile(file: FileToSend): Promise<unknown> {
  const request = await exchange(file);
  return readAnswer({
    text: request.responseText,
    status: request.status,
    requestId: request.getResponseHeader('x-request-id'),
    retryAfter: request.getResponseHeader('retry-after'),
  });
}

/** Resolves with the request once it is answered; rejects where it was not. */
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
