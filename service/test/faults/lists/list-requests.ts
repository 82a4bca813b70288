import {
  type Answer,
  type Answered,
  type ApiClient,
  type Call,
  listsPath,
} from '../../support/api-client.ts';
import { checkDownload, checkRecord } from './check-list.ts';
import type { ListAction, ListSnapshot, ListWatch, WatchedList } from './watched-list.ts';

/** The requests about a list. Each records what is known of the list when it is sent, and checks its answer. */
type Asking = { watch: ListWatch; client: Pick<ApiClient, 'send'> };

const uploadRefusals = new Set(['too_many_uploads', 'service_unavailable', 'request_in_progress']);

/** Sends the file, or the part of it after which the client hangs up. */
export async function upload(asking: Asking, list: WatchedList): Promise<void> {
  const { watch } = asking;
  const knownAs = list.listId;
  const bytes = Buffer.from(list.file);
  const answer = await send(asking, {
    path: `${listsPath}?name=${encodeURIComponent(list.name)}`,
    key: list.apiKey,
    body: bytes,
    headers: {
      'content-type': 'text/csv',
      ...(list.idempotencyKey === undefined ? {} : { 'idempotency-key': list.idempotencyKey }),
    },
    ...(list.isCut ? { cutAfterBytes: Math.floor(bytes.length / 2) } : {}),
  });
  if (list.isCut) {
    watch.counts.cut += 1;
    if (answer.kind === 'answered' && answer.status === 201)
      watch.violations.push(`${list.name} was acknowledged before its last byte was sent`);
    return;
  }
  if (answer.kind === 'lost') return;
  if (answer.status !== 201) {
    // Another client deleted it meanwhile, and its answer is gone with it.
    const isGone = answer.body['reason'] === 'idempotency_mismatch' && list.asked.has('delete');
    if (!isGone && !uploadRefusals.has(String(answer.body['reason'])))
      isWrong(watch, { list, answer, what: 'upload' });
    return;
  }
  const listId = String(answer.body['list_id']);
  if (knownAs !== undefined && listId !== knownAs)
    watch.violations.push(`${list.name} was created twice: ${knownAs} and ${listId}`);
  list.listId = listId;
  if (knownAs === undefined) checkRecord(watch, list, { answer, before: snapshotOf(list) });
}

/** Starts, pauses, resumes, cancels or deletes. */
export async function act(asking: Asking, list: WatchedList, action: ListAction): Promise<void> {
  const { watch } = asking;
  const before = snapshotOf(list);
  list.asked.add(action);
  const answer = await send(asking, callOf(list, action));
  if (answer.kind === 'lost' || answer.status === 503) return;
  if (answer.status === 404) checkAbsence(watch, list, action);
  // A start is repeated under its key, so it is never refused; the others depend on the state of the list.
  else if (answer.status === 409 && action !== 'start') watch.counts.refused += 1;
  else if (answer.status !== successes[action]) isWrong(watch, { list, answer, what: action });
  else {
    list.acknowledged.add(action);
    if (action !== 'delete') checkRecord(watch, list, { answer, before });
  }
}

const successes: Record<ListAction, number> = {
  start: 202,
  pause: 200,
  resume: 200,
  cancel: 200,
  delete: 204,
};

function callOf(list: WatchedList, action: ListAction): Call {
  const path = `${listsPath}/${list.listId}`;
  if (action === 'delete') return { method: 'DELETE', path, key: list.apiKey };
  if (action !== 'start') return { path: `${path}/${action}`, key: list.apiKey };
  return {
    path: `${path}/start`,
    key: list.apiKey,
    body: list.first === undefined ? {} : { first: list.first },
    headers: { 'idempotency-key': `start-of-${list.name}` },
  };
}

/** Reads the record, or the whole file with the answers. */
export async function read(asking: Asking, list: WatchedList, what: 'record' | 'download'): Promise<void> {
  const { watch } = asking;
  const before = snapshotOf(list);
  const path = `${listsPath}/${list.listId}${what === 'record' ? '' : '/download'}`;
  const answer = await send(asking, { method: 'GET', path, key: list.apiKey });
  if (answer.kind === 'lost' || answer.status === 503) return;
  if (answer.status === 404) checkAbsence(watch, list, what);
  else if (answer.status !== 200) isWrong(watch, { list, answer, what });
  else if (what === 'record') checkRecord(watch, list, { answer, before });
  else {
    watch.counts.downloads += 1;
    checkDownload(watch, list, { text: answer.text, before });
  }
}

function snapshotOf({ acknowledged, checked }: WatchedList): ListSnapshot {
  return { acknowledged: new Set(acknowledged), checked };
}

/** Checks that an acknowledged list is there until its deletion is requested. */
function checkAbsence(watch: ListWatch, list: WatchedList, what: string): void {
  if (!list.asked.has('delete')) watch.violations.push(`${list.name} is gone (${what})`);
}

type WrongAnswer = { list: WatchedList; answer: Answered; what: string };

function isWrong(watch: ListWatch, { list, answer, what }: WrongAnswer): void {
  watch.violations.push(`${list.name}, ${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
}

async function send({ watch, client }: Asking, call: Call): Promise<Answer> {
  watch.counts.requests += 1;
  const answer = await client.send(call);
  if (answer.kind === 'lost' && call.cutAfterBytes === undefined) watch.counts.lost += 1;
  return answer;
}
