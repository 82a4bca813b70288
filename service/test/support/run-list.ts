import assert from 'node:assert/strict';
import { listsPath, type ApiClient } from './api-client.ts';
import { until } from './until.ts';

/** Uploads the addresses as a list, runs it to its end and returns the status of each address in the download. */
export async function runList(
  client: ApiClient,
  key: string,
  addresses: readonly string[],
): Promise<Map<string | undefined, string | undefined>> {
  const file = ['email', ...addresses, ''].join('\n');
  const headers = { 'content-type': 'text/csv' };
  const created = await client.ask({ path: `${listsPath}?name=checked`, key, body: file, headers });
  assert.equal(created.status, 201, created.text);
  const path = `${listsPath}/${String(created.body['list_id'])}`;
  assert.equal((await client.ask({ path: `${path}/start`, key, body: {} })).status, 202);
  await until(
    () => client.ask({ method: 'GET', path, key }),
    ({ body }) => body['state'] === 'completed',
  );
  const { text } = await client.ask({ method: 'GET', path: `${path}/download?format=csv`, key });
  const [heading = '', ...rows] = text.trim().split(/\r?\n/);
  const column = heading.split(',').indexOf('email_status');
  return new Map(rows.map((row) => [row.split(',')[0], row.split(',')[column]]));
}
