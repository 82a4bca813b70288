import type { Call, Content, Download } from './exchange.ts';
import { MailproofError } from './mailproof-error.ts';
import {
  createAsk,
  hasText,
  holdsList,
  queryOf,
  request,
  type CallOptions,
  type Connection,
} from './request.ts';
import type { ListChange, ListPage, ListRecord, ListRow, ListRowPage, ListStart } from './list-types.ts';
import type { Explanation } from './verification-types.ts';

/** Files with addresses: uploaded, started, followed and downloaded. Everything but starting is free. */
export type ListCalls = {
  /** Uploads a file, or text with an address a line. Nothing is checked until it is started. */
  create(content: ListContent, options?: CreateListOptions): Promise<ListRecord>;
  /** Another column or name. Another column only before the list is started. */
  change(listId: string, change: ListChange, options?: CallOptions): Promise<ListRecord>;
  /** Reserves a credit for each address and starts the run; `first` limits it to the first addresses of the file. */
  start(listId: string, options?: StartListOptions): Promise<ListRecord>;
  read(listId: string, options?: CallOptions): Promise<ListRecord>;
  /** The newest first; `after` is `next` of the page before. */
  page(options?: ListPageOptions): Promise<ListPage>;
  /** All rows that were asked for, read page by page as they are needed. */
  rows(listId: string, options?: ListRowsOptions): AsyncGenerator<ListRow, void, undefined>;
  /** One page of them; `after` is `next` of the page before. */
  rowPage(listId: string, options?: ListRowsOptions & { after?: string | undefined }): Promise<ListRowPage>;
  /** Why a row came out as it did, with the replies of the mail host. */
  explainRow(listId: string, row: number, options?: CallOptions): Promise<Explanation>;
  /** The file with the answers; while the list runs, with those that are known. */
  download(listId: string, options?: ListDownloadOptions): Promise<ListDownload>;
  pause(listId: string, options?: CallOptions): Promise<ListRecord>;
  resume(listId: string, options?: CallOptions): Promise<ListRecord>;
  /** Checked addresses are charged and kept; the other credits return. */
  cancel(listId: string, options?: CallOptions): Promise<ListRecord>;
  /** Erased at once, also while it runs. */
  remove(listId: string, options?: CallOptions): Promise<void>;
  /** Resolves once the run is completed or cancelled. */
  wait(listId: string, options?: WaitForListOptions): Promise<ListRecord>;
};

/** A stream is sent once; a function that opens one lets the upload be tried again. */
export type ListContent =
  string | Uint8Array | Blob | ReadableStream<Uint8Array> | (() => ReadableStream<Uint8Array>);

export type CreateListOptions = CallOptions & {
  name?: string | undefined;
  /** The column with the addresses, by its index from 0 or its heading (default: detected). */
  column?: number | string | undefined;
  /** Of several addresses in a cell each gets a row of its own. */
  split?: boolean | undefined;
  /** The same file again under the same key is the same list, for 24 hours. */
  idempotencyKey?: string | undefined;
  contentType?: string | undefined;
};

type StartListOptions = CallOptions & ListStart;
type ListPageOptions = CallOptions & { limit?: number | undefined; after?: string | undefined };

export type ListRowsOptions = CallOptions & {
  /** `all`, `sendable`, `risky`, `undeliverable`, or statuses with commas between them. */
  status?: string | undefined;
  provider?: string | undefined;
  /** Part of the address. */
  search?: string | undefined;
  /** Rows of one page. */
  limit?: number | undefined;
};

export type ListDownloadOptions = CallOptions & {
  /** `all`, `sendable`, `risky`, `undeliverable`, or statuses with commas between them. */
  rows?: string | undefined;
  format?: 'csv' | 'xlsx' | 'jsonl' | undefined;
  /** `false` leaves role accounts out of `sendable`. */
  roles?: boolean | undefined;
};

export type ListDownload = {
  /** The bytes of the file. If the connection breaks, reading it fails. */
  stream: ReadableStream<Uint8Array>;
  contentType: string;
  /** The file name that the service suggests. */
  fileName: string | undefined;
};

const listsPath = '/api/v1/lists';

export function createListCalls(connection: Connection): ListCalls {
  const ask = createAsk(connection);
  const read = (listId: string, { signal }: CallOptions = {}) =>
    ask({ method: 'GET', path: pathOf(listId), signal }, isList);
  const act =
    (action: 'pause' | 'resume' | 'cancel') =>
    (listId: string, { signal }: CallOptions = {}) =>
      ask({ method: 'POST', path: pathOf(listId, action), isRepeatable: true, signal }, isList);
  const rowPage: ListCalls['rowPage'] = (listId, { signal, ...query } = {}) => {
    const path = `${pathOf(listId, 'rows')}${queryOf(query)}`;
    return ask({ method: 'GET', path, signal }, holdsList<ListRowPage>('rows'));
  };
  return {
    create: (content, options = {}) => ask(uploadOf(content, options), isList),
    change: (listId, change, { signal } = {}) =>
      ask({ method: 'PATCH', path: pathOf(listId), body: change, signal }, isList),
    start: (listId, { signal, ...start } = {}) => ask({ ...startOf(listId, start), signal }, isList),
    read,
    page: ({ signal, ...query } = {}) =>
      ask({ method: 'GET', path: `${listsPath}${queryOf(query)}`, signal }, holdsList<ListPage>('lists')),
    async *rows(listId, options = {}) {
      let after: string | undefined;
      do {
        const page = await rowPage(listId, { ...options, after });
        yield* page.rows;
        after = page.next ?? undefined;
      } while (after !== undefined);
    },
    rowPage,
    explainRow: (listId, row, { signal } = {}) =>
      ask({ method: 'GET', path: pathOf(listId, `rows/${row}`), signal }, isExplanation),
    download: (listId, options = {}) => download(listId, options, connection),
    pause: act('pause'),
    resume: act('resume'),
    cancel: act('cancel'),
    remove: async (listId, { signal } = {}) => {
      await request({ method: 'DELETE', path: pathOf(listId), signal }, connection);
    },
    wait: (listId, options = {}) =>
      waitForList(options, { ...connection, read: () => read(listId, { signal: options.signal }) }),
  };
}

function uploadOf(content: ListContent, options: CreateListOptions): Call {
  const { name, column, split, idempotencyKey, contentType, signal } = options;
  const path = `${listsPath}${queryOf({ name, column, split: split === true ? 'true' : undefined })}`;
  return { method: 'POST', path, content: contentOf(content, contentType), idempotencyKey, signal };
}

function contentOf(content: ListContent, given: string | undefined): Content {
  const type = given ?? (typeof content === 'string' ? 'text/plain' : 'application/octet-stream');
  if (typeof content === 'function') return { type, open: content, isOneShot: false };
  if (content instanceof ReadableStream) return { type, open: () => content, isOneShot: true };
  // Blobs carry a type of their own, which the header of the request takes the place of.
  const blob =
    content instanceof Blob ? content : new Blob([typeof content === 'string' ? content : content.slice()]);
  return { type, open: () => blob, isOneShot: false };
}

/** A list is started once, so the key can be made from it: an answer that was lost is asked for again. */
function startOf(listId: string, start: ListStart): Call {
  const idempotencyKey = `start-${listId}-${start.first ?? 'all'}`;
  return { method: 'POST', path: pathOf(listId, 'start'), body: start, idempotencyKey };
}

async function download(
  listId: string,
  { signal, rows, format, roles }: ListDownloadOptions,
  connection: Connection,
): Promise<ListDownload> {
  const query = queryOf({ rows, format, roles: roles === false ? 'false' : undefined });
  const path = `${pathOf(listId, 'download')}${query}`;
  const {
    status,
    requestId,
    download: found,
  } = await request({ method: 'GET', path, isDownload: true, signal }, connection);
  if (found === undefined) throw new MailproofError('unexpected_answer', { status, requestId });
  const { stream, contentType } = found;
  return { stream, contentType, fileName: fileNameOf(found) };
}

/** RFC 6266: the name in UTF-8, which the service always sends. */
function fileNameOf({ disposition }: Download): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function pathOf(listId: string, below?: string): string {
  const path = `${listsPath}/${encodeURIComponent(listId)}`;
  return below === undefined ? path : `${path}/${below}`;
}

function isExplanation(body: object): body is Explanation {
  return hasText(body, 'stage') && hasText(body, 'reason') && 'replies' in body;
}

function isList(body: object): body is ListRecord {
  return hasText(body, 'list_id') && hasText(body, 'state') && 'addresses' in body;
}

export type WaitForListOptions = CallOptions & {
  /** Called with each look at the list, the last one included. */
  onProgress?: ((list: ListRecord) => void) | undefined;
};

type WaitParts = Pick<Connection, 'limits' | 'parts'> & { read: () => Promise<ListRecord> };

/**
 * Looks at a list until its run has ended, first often, then seldom. The run is the service's: while that cannot be
 * reached the list is waited for all the same, up to an hour.
 */
async function waitForList(
  { onProgress, signal }: WaitForListOptions,
  { limits, parts, read }: WaitParts,
): Promise<ListRecord> {
  const until = parts.now() + limits.listMs;
  let waitMs = limits.pollFirstMs;
  let seenAt = parts.now();
  while (parts.now() < until) {
    const seen = await lookOnce(read);
    if (seen instanceof MailproofError) {
      if (parts.now() - seenAt > limits.outageMs) throw seen;
    } else {
      seenAt = parts.now();
      onProgress?.(seen);
      if (seen.state === 'completed' || seen.state === 'cancelled') return seen;
      // A list that is not started would be waited for until it expires.
      if (seen.state === 'surveyed') throw new MailproofError('wrong_list_state');
    }
    await parts.wait(Math.round(waitMs * (0.9 + 0.2 * parts.random())), signal);
    waitMs = Math.min(waitMs * 1.5, limits.pollLongestMs);
  }
  throw new MailproofError('no_answer_in_time');
}

/** Returns the list, or the error if it may be temporary. */
async function lookOnce(read: WaitParts['read']): Promise<ListRecord | MailproofError> {
  try {
    return await read();
  } catch (error) {
    const mayPass =
      error instanceof MailproofError &&
      (error.status === undefined || error.status >= 500 || error.reason === 'unexpected_answer');
    if (mayPass) return error;
    throw error;
  }
}
