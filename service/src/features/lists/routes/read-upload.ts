import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { systemClock, type Clock } from '@mailproof/engine';
import { ListProblem } from '../reading/list-problem.ts';

/**
 * The bytes of an uploaded file, as they come: the body itself, or the field `file` of a form. A client that sends
 * nothing for a while is not waited for.
 */
export function readUpload(message: IncomingMessage, clock: Clock = systemClock): AsyncIterable<Uint8Array> {
  const type = message.headers['content-type'] ?? '';
  if (/^application\/json\b/i.test(type)) {
    throw new ListProblem(
      'unsupported_file',
      'Send the file itself as the body (text/csv, text/plain, .xlsx), or as the field `file` of a form.',
    );
  }
  // Whoever stops reading says why; the connection has to last until that is sent.
  const body = message.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  const content = isForm(message) ? fileOfForm(message, type) : body;
  return withLeastRate(withoutSilence(content, message), clock);
}

/** How large the file is, where the client says so: a form holds more than the file. */
export function declaredBytes(message: IncomingMessage): number | undefined {
  const length = message.headers['content-length'];
  return length === undefined || isForm(message) ? undefined : Number(length);
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/** The longest that a client may send nothing. */
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

/** An upload holds a place while it lasts. After a while it must have come at this rate, and it must end. */
const rateFromMs = 30_000;
const leastBytesPerSecond = 2_000;
const uploadMs = 1_800_000;

/** Counts the time that we wait for the client, and not what we take ourselves. */
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

/** What the form holds beside the file is passed over; query parameters say the rest. */
function fileOfForm(message: IncomingMessage, type: string): Readable {
  const content = new Readable({ read: () => undefined });
  // It may break before anybody reads it; whoever does then is told.
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
