import type { Explanation } from '@mailproof/client';
import type { Call } from './call.ts';

/** What only the page asks of lists; the rest are calls of the client. */
export type ListsApi = {
  /** Why a row says what it says. */
  explanation(listId: string, row: number): Promise<Explanation>;
};

type DownloadWish = { rows: string; format: string; withRoles: boolean };

const listsPath = '/api/v1/lists';

export function createListsApi(ask: <Body>(call: Call) => Promise<Body>): ListsApi {
  return {
    explanation: (listId, row) => ask({ method: 'GET', path: pathOf(listId, `/rows/${row}`) }),
  };
}

/** Where a list is downloaded from, in the browser's own session. */
export function downloadPath(listId: string, { rows, format, withRoles }: DownloadWish): string {
  const roles = rows === 'sendable' && !withRoles ? 'false' : undefined;
  return `${pathOf(listId, '/download')}${queryOf({ rows, format, roles })}`;
}

/** Where a file is sent to; `send-file.ts` sends it. */
export function uploadPath(name: string, column?: string): string {
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
