import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { systemClock, type Clock } from '@mailproof/engine';
import { ListProblem } from '../reading/list-problem.ts';

/**
 * Yields the bytes of an uploaded file as they arrive: the body itself, or the field `file` of a form. A client that
 * falls silent is disconnected.
 */
export function readUpload(message: IncomingMessage, clock: Clock = systemClock): AsyncIterable<Uint8Array> {
  const type = message.headers['content-type'] ?? '';
  if (/^application\/json\b/i.test(type)) {
    throw new ListProblem(
      'unsupported_file',
      'Send the file itself as the body (text/csv, text/plain, .xlsx), or as the field `file` of a form.',
    );
  }
  // The connection stays open when reading stops, so that the refusal can be sent.
  const body = message.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  const content = isForm(message) ? fileOfForm(message, type) : body;
  return withLeastRate(withoutSilence(content, message), clock);
}

/** Returns the size of the file, if the client declares it; a form is larger than its file. */
export function declaredBytes(message: IncomingMessage): number | undefined {
  const length = message.headers['content-length'];
  return length === undefined || isForm(message) ? undefined : Number(length);
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/** Longest silence of a client. */
const silenceMs = 30_000;

async function* withoutSilence(
  content: AsyncIterable<Uint8Array>,
  message: IncomingMessage,
): AsyncGenerator<Uint8Array> {
  const timer = setTimeout(() => message.destroy(new Error('the upload stopped')), silenceMs);
  timer.unref();
  try {
    for await (const piece of content) {
      timer.refresh();
      yield piece;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The client sends too slowly, or for too long. */
export class SlowUploadError extends Error {
  constructor() {
    super('the upload is too slow');
    this.name = 'SlowUploadError';
  }
}

/** An upload occupies a place while it lasts. So after this time it must have this average rate, and it must end. */
const rateFromMs = 30_000;
const leastBytesPerSecond = 2_000;
const uploadMs = 1_800_000;

/** Counts only the time spent waiting for the client, not our own. */
async function* withLeastRate(
  content: AsyncIterable<Uint8Array>,
  clock: Pick<Clock, 'now'>,
): AsyncGenerator<Uint8Array> {
  let [bytes, waitedMs] = [0, 0];
  let since = clock.now();
  for await (const piece of content) {
    bytes += piece.length;
    waitedMs += clock.now() - since;
    const isSlow = waitedMs > rateFromMs && bytes * 1_000 < leastBytesPerSecond * waitedMs;
    if (isSlow || waitedMs > uploadMs) throw new SlowUploadError();
    yield piece;
    since = clock.now();
  }
}

const partsMax = 20;

/** Returns the field `file`. Other fields are ignored; query parameters carry the options. */
function fileOfForm(message: IncomingMessage, type: string): Readable {
  const content = new Readable({ read: () => undefined });
  // The stream may break before it is read; the reader then gets the error.
  content.on('error', () => undefined);
  const form = openForm(type);
  let found = false;
  form.on('file', (name, file) => {
    if (name !== 'file' || found) {
      file.resume();
      return;
    }
    found = true;
    file.on('data', (piece: Buffer) => {
      if (!content.push(piece)) file.pause();
    });
    content._read = () => void file.resume();
    file.on('end', () => content.push(null));
    file.on('error', (error: Error) => content.destroy(error));
  });
  form.on('finish', () => {
    if (!found)
      content.destroy(new ListProblem('invalid_list', 'The form has no field `file`. Put the list there.'));
  });
  const broken = (error: unknown): void => {
    content.destroy(error instanceof Error ? error : new Error('the upload broke'));
  };
  form.on('error', () =>
    broken(new ListProblem('invalid_list', 'The form is broken. Send the file as the body instead.')),
  );
  message.on('error', broken);
  message.on('aborted', () => broken(new Error('the client hung up')));
  message.pipe(form);
  return content;
}

function openForm(type: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: { files: partsMax, fields: partsMax } });
  } catch {
    throw new ListProblem('invalid_list', 'The form names no boundary. Send the file as the body instead.');
  }
}
