import type {
  Explanation,
  ListChange,
  ListPage,
  ListRecord,
  ListRowPage,
  ListStart,
} from '@mailproof/client';
import type { Call } from './call.ts';

/** What the page asks of lists. Their files are sent by `send-file.ts` and downloaded by plain links. */
export type ListsApi = {
  page(after?: string): Promise<ListPage>;
  read(listId: string): Promise<ListRecord>;
  change(listId: string, change: ListChange): Promise<ListRecord>;
  start(listId: string, start: ListStart): Promise<ListRecord>;
  pause(listId: string): Promise<ListRecord>;
  resume(listId: string): Promise<ListRecord>;
  cancel(listId: string): Promise<ListRecord>;
  remove(listId: string): Promise<void>;
  rows(listId: string, wish: RowsWish): Promise<ListRowPage>;
  /** Why a row says what it says. */
  explanation(listId: string, row: number): Promise<Explanation>;
};

export type RowsWish = {
  /** A status or a preset; empty for all. */
  status: string;
  provider: string;
  /** Part of an address. */
  search: string;
  limit: number;
  after?: string | undefined;
};

export type DownloadWish = { rows: string; format: string; withRoles: boolean };

const listsPath = '/api/v1/lists';

export function createListsApi(ask: <Body>(call: Call) => Promise<Body>): ListsApi {
  const act = (action: string) => (listId: string) =>
    ask<ListRecord>({ method: 'POST', path: pathOf(listId, `/${action}`) });
  return {
    page: (after) => ask({ method: 'GET', path: `${listsPath}${queryOf({ after })}` }),
    read: (listId) => ask({ method: 'GET', path: pathOf(listId) }),
    change: (listId, body) => ask({ method: 'PATCH', path: pathOf(listId), body }),
    // A list is started once, so its key can be made from it: a lost answer is asked for again and nothing is paid twice.
    start: (listId, body) =>
      ask({
        method: 'POST',
        path: pathOf(listId, '/start'),
        body,
        idempotencyKey: `start-${listId}-${body.first ?? 'all'}`,
      }),
    pause: act('pause'),
    resume: act('resume'),
    cancel: act('cancel'),
    remove: (listId) => ask({ method: 'DELETE', path: pathOf(listId) }),
    rows: (listId, { status, provider, search, limit, after }) =>
      ask({
        method: 'GET',
        path: `${pathOf(listId, '/rows')}${queryOf({ status, provider, search, limit: `${limit}`, after })}`,
      }),
    explanation: (listId, row) => ask({ method: 'GET', path: pathOf(listId, `/rows/${row}`) }),
  };
}

/** Where a list is downloaded from, in the browser's own session. */
export function downloadPath(listId: string, { rows, format, withRoles }: DownloadWish): string {
  const roles = rows === 'sendable' && !withRoles ? 'false' : undefined;
  return `${pathOf(listId, '/download')}${queryOf({ rows, format, roles })}`;
}

export function uploadPath(name: string, column?: string): string {
  return `${listsPath}${queryOf({ name, column })}`;
}

function pathOf(listId: string, below = ''): string {
  return `${listsPath}/${encodeURIComponent(listId)}${below}`;
}

function queryOf(fields: Record<string, string | undefined>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
