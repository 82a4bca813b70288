import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from '../../support/api-client.ts';
import { listsPath } from '../../support/api-client.ts';
import type { Fixture } from '../../support/open-fixture.ts';
import { until } from '../../support/until.ts';
import { checkDownload, checkRecord } from './check-list.ts';
import { canBeRepeated } from './list-load.ts';
import { act, upload } from './list-requests.ts';
import { wantedOf, type ListOwner, type ListWatch, type WatchedList } from './watched-list.ts';

/**
 * The end: every list completes, and the rest is checked against everything acknowledged. The database holds
 * nothing of a broken upload or a deleted list. Each row has at most one answer, every conclusive one is charged
 * once, and nothing is reserved.
 */
type FinalParts = {
  watch: ListWatch;
  owners: readonly ListOwner[];
  client: ApiClient;
  fixture: Fixture;
};

export async function settleAccounts(parts: FinalParts): Promise<void> {
  const { watch, owners, client } = parts;
  for (const list of watch.lists)
    if (list.listId === undefined && canBeRepeated(list))
      await until(
        () => upload({ watch, client }, list),
        () => list.listId !== undefined || watch.violations.length > 0,
      );
  for (const owner of owners) await completeLists(parts, owner);
  for (const owner of owners) await checkOwner(parts, owner);
  await checkDatabase(parts);
  const { violations } = await parts.fixture.command('audit');
  if (!isDeepStrictEqual(violations, [])) watch.violations.push(`audit: ${JSON.stringify(violations)}`);
}

type ListRecord = Record<string, unknown>;

/** Reads all lists of an account, of either mode, page by page. */
async function readAll(parts: FinalParts, { liveKey, testKey }: ListOwner): Promise<ListRecord[]> {
  return [...(await readAllOf(parts, liveKey)), ...(await readAllOf(parts, testKey))];
}

async function readAllOf({ client }: FinalParts, key: string): Promise<ListRecord[]> {
  const lists: ListRecord[] = [];
  for (let after = ''; ;) {
    const path = `${listsPath}?limit=100${after}`;
    const { body, status, text } = await client.ask({ method: 'GET', path, key });
    if (status !== 200) throw new Error(`the lists are not to be read: ${status} ${text}`);
    lists.push(...(body['lists'] as ListRecord[]));
    if (typeof body['next'] !== 'string') return lists;
    after = `&after=${encodeURIComponent(body['next'])}`;
  }
}

/** Resumes paused lists, and waits until all are completed. */
async function completeLists(parts: FinalParts, owner: ListOwner): Promise<void> {
  const { watch, client } = parts;
  for (const record of await readAll(parts, owner)) {
    const list = watch.lists.find(({ name }) => name === record['name']);
    if (record['state'] === 'paused' && list !== undefined) {
      list.listId ??= String(record['list_id']);
      await act({ watch, client }, list, 'resume');
    }
  }
  await until(
    () => readAll(parts, owner),
    (records) => records.every(({ state }) => state !== 'running' && state !== 'paused'),
  );
}

async function checkOwner(parts: FinalParts, owner: ListOwner): Promise<void> {
  const { watch, fixture } = parts;
  const records = await readAll(parts, owner);
  let charged = 0;
  for (const record of records) charged += await checkFinal(parts, owner, record);
  const gone = watch.lists.filter(
    (list) => list.owner === owner && !records.some((record) => record['name'] === list.name),
  );
  for (const list of gone)
    if (list.listId !== undefined && !list.asked.has('delete'))
      watch.violations.push(`${list.name} was acknowledged and is lost`);
  // A deleted list's checked addresses are charged, and their number is no longer known.
  const deleted = gone.filter(({ isSandbox, asked }) => asked.has('start') && !isSandbox);
  const least = charged + deleted.reduce((sum, { used }) => sum + used, 0);
  const most = charged + deleted.reduce((sum, list) => sum + wantedOf(list), 0);
  const { spent, reserved } = await fixture.balance(owner.accountId);
  if (reserved !== 0 || spent < least || spent > most)
    watch.violations.push(
      `${owner.accountId} spent ${spent}, from ${least} to ${most} are due, ${reserved} reserved`,
    );
}

/** Checks a list and returns its charge. */
async function checkFinal(parts: FinalParts, owner: ListOwner, record: ListRecord): Promise<number> {
  const { watch, client } = parts;
  const wrong = (what: string): number => {
    watch.violations.push(`${String(record['name'])}: ${what}: ${JSON.stringify(record).slice(0, 600)}`);
    return 0;
  };
  const named = watch.lists.filter((list) => list.owner === owner && list.name === record['name']);
  const [list] = named;
  if (list === undefined || list.isCut) return wrong('nobody uploaded it to its end');
  if (list.listId !== undefined && list.listId !== record['list_id']) return wrong('there are two of it');
  list.listId = String(record['list_id']);
  const before = { acknowledged: list.acknowledged, checked: list.checked };
  const path = `${listsPath}/${list.listId}`;
  checkRecord(watch, list, { answer: await client.ask({ method: 'GET', path, key: list.apiKey }), before });
  const { text } = await client.ask({ method: 'GET', path: `${path}/download`, key: list.apiKey });
  const said = checkDownload(watch, list, { text, before });
  return checkAnswers(list, said, record) ?? wrong('the answers in the file are not those that are charged');
}

/** Returns the charge; undefined if the file and the record do not agree. */
function checkAnswers(list: WatchedList, said: Map<number, string>, record: ListRecord): number | undefined {
  const answered = list.rows.flatMap((row, at) => (row.kind === 'address' ? (said.get(at) ?? []) : []));
  const conclusive = answered.filter((status) => status !== 'unknown').length;
  const charged = list.isSandbox ? 0 : conclusive;
  const isRight = record['checked'] === answered.length && record['credits_used'] === charged;
  return isRight && duplicatesAgree(list, said) ? charged : undefined;
}

function duplicatesAgree({ rows }: WatchedList, said: Map<number, string>): boolean {
  const firstAt = new Map<string, number>();
  return rows.every(({ email, kind }, at) => {
    if (kind === 'address') firstAt.set(email, at);
    return kind !== 'duplicate' || said.get(at) === said.get(firstAt.get(email) ?? -1);
  });
}

const leftovers = `select
  (select count(*) from list where state in ('receiving', 'running', 'paused', 'deleted')) as unfinished,
  (select count(*) from task where list_id is not null) as tasks,
  (select count(*) from list_row) - (select coalesce(sum(rows), 0) from list) as rows,
  (select count(*) from list_piece) - (select coalesce(sum((file_bytes + 65535) / 65536), 0) from list) as pieces,
  (select count(*) from list where checked <>
    (select count(*) from list_row where list_id = list.id and status is not null)) as miscounted`;

/** Checks that broken uploads and deleted lists are erased, and that all rows belong to existing lists. */
async function checkDatabase({ fixture, watch }: FinalParts): Promise<void> {
  const look = async (): Promise<string> => {
    const [row = {}] = await fixture.query(leftovers);
    const left = Object.entries(row).filter(([, count]) => Number(count) !== 0);
    return JSON.stringify(Object.fromEntries(left));
  };
  const left = await until(look, (found) => found === '{}').catch(look);
  if (left !== '{}') watch.violations.push(`left in the database: ${left}`);
}
