/** One list through the service: uploaded, run, downloaded; each phase is measured and every row is compared. */
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readWorkbook } from '../../../service/src/features/lists/reading/read-workbook.ts';
import { openWorkbook } from '../../../service/src/features/lists/reading/workbook-parts.ts';
import { csvLine, csvPieces, workbookOf, type ListContent } from './list-content.ts';
import type { ProcessFigures, WatchedService } from './watched-service.ts';

type ListOrder = {
  name: string;
  content: ListContent;
  format: 'csv' | 'xlsx';
  /** Of a test key for the sandbox, of a live one for the world. */
  apiKey: string;
};

export type PhaseFigures = { phase: Phase; ms: number; processes: ProcessFigures[]; idleStallMs: number };

export type ListFigures = {
  name: string;
  rows: number;
  uploadedBytes: number;
  phases: PhaseFigures[];
  /** Rows that came back other than they were sent, or with another answer than is true. */
  wrong: number;
};

type Phase = 'upload' | 'run' | 'download';

export type CheckListParts = {
  service: WatchedService;
  /** A process that has nothing to do: what delays its loop is the machine. */
  bystander: { begin: () => Promise<void>; end: () => Promise<number> };
  tell: (message: string) => void;
};

export async function checkList(order: ListOrder, parts: CheckListParts): Promise<ListFigures> {
  const { content, name } = order;
  const phases: PhaseFigures[] = [];
  const measured = async <T>(phase: Phase, work: () => Promise<T>): Promise<T> => {
    parts.tell(`${name}: ${phase}`);
    await parts.service.beginPhase();
    await parts.bystander.begin();
    const startedAt = performance.now();
    const answer = await work();
    const ms = performance.now() - startedAt;
    const [idleStallMs, processes] = [await parts.bystander.end(), await parts.service.endPhase()];
    phases.push({ phase, ms, processes, idleStallMs });
    return answer;
  };
  const file = order.format === 'xlsx' ? await workbookOf(content) : undefined;
  const sent = { bytes: 0 };
  const pieces = () => counted(file === undefined ? csvPieces(content) : [file], sent);
  const listId = await measured('upload', () => upload(order, parts, pieces));
  await measured('run', () => run(order, parts, listId));
  const wrong = await measured('download', () => download(order, parts, listId));
  await ask(order, parts, { method: 'DELETE', path: `/${listId}` });
  return { name, rows: content.rows, uploadedBytes: sent.bytes, phases, wrong };
}

function* counted(pieces: Iterable<Buffer>, sent: { bytes: number }): Generator<Buffer> {
  sent.bytes = 0;
  for (const piece of pieces) {
    sent.bytes += piece.length;
    yield piece;
  }
}

type Call = { method: string; path: string; type?: string; body?: () => Readable };

const askAgainMs = 500;
const asksAtMost = 120;

/** Turned away because the service is busy, it asks again, as clients do. */
async function open(order: ListOrder, parts: CheckListParts, call: Call): Promise<IncomingMessage> {
  for (let asked = 1; ; asked += 1) {
    const response = await send(order, parts, call);
    const { statusCode = 500 } = response;
    if (statusCode < 300) return response;
    const answer = await text(response);
    if (statusCode !== 503 || asked >= asksAtMost)
      throw new Error(`${call.method} ${call.path}: ${statusCode} ${answer}`);
    await pause(askAgainMs);
  }
}

async function send(
  { apiKey }: ListOrder,
  { service }: CheckListParts,
  { method, path, type, body }: Call,
): Promise<IncomingMessage> {
  const outgoing = request(`${service.url}/api/v1/lists${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(type === undefined ? {} : { 'content-type': type }),
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  // One that is turned away may not read all of it; its answer says more than the broken pipe.
  const sent = pipeline(body?.() ?? Readable.from([]), outgoing).catch(() => undefined);
  const response = await answered;
  await sent;
  return response;
}

async function ask(order: ListOrder, parts: CheckListParts, call: Call): Promise<Record<string, unknown>> {
  const answer = await text(await open(order, parts, call));
  return answer === '' ? {} : (JSON.parse(answer) as Record<string, unknown>);
}

async function upload(
  order: ListOrder,
  parts: CheckListParts,
  pieces: () => Iterable<Buffer>,
): Promise<string> {
  const record = await ask(order, parts, {
    method: 'POST',
    path: `?name=list.${order.format}`,
    type: 'application/octet-stream',
    body: () => Readable.from(pieces(), { objectMode: false }),
  });
  if (record['rows'] !== order.content.rows) throw new Error(`surveyed: ${JSON.stringify(record)}`);
  return String(record['list_id']);
}

const lookEveryMs = 500;
const endWithinMs = 3_600_000;

async function run(order: ListOrder, parts: CheckListParts, listId: string): Promise<void> {
  const body = (): Readable => Readable.from([Buffer.from('{}')]);
  await ask(order, parts, { method: 'POST', path: `/${listId}/start`, type: 'application/json', body });
  for (const startedAt = performance.now(); performance.now() - startedAt < endWithinMs;) {
    const { state } = await ask(order, parts, { method: 'GET', path: `/${listId}` });
    if (state === 'completed') return;
    await pause(lookEveryMs);
  }
  throw new Error(`the list did not end within ${endWithinMs / 60_000} minutes`);
}

async function download(order: ListOrder, parts: CheckListParts, listId: string): Promise<number> {
  const path = `/${listId}/download?format=${order.format}`;
  const response = await open(order, parts, { method: 'GET', path });
  return order.format === 'csv'
    ? compareCsv(response, order.content)
    : compareWorkbook(response, order.content);
}

async function compareCsv(response: IncomingMessage, { headings, rows, row }: ListContent): Promise<number> {
  let [at, wrong] = [-1, 0];
  for await (const line of createInterface({ input: response })) {
    const expected = at === -1 ? { cells: headings, status: 'email_status' } : row(at);
    if (!line.startsWith(`${csvLine(expected.cells)},${expected.status},`)) wrong += 1;
    at += 1;
  }
  return wrong + Math.abs(rows - at);
}

async function compareWorkbook(
  response: IncomingMessage,
  { headings, rows, row }: ListContent,
): Promise<number> {
  const bytes = await buffer(response);
  const workbook = await openWorkbook({
    size: bytes.length,
    pieces: () => Readable.from([bytes]),
    slice: (start, end) => Promise.resolve(bytes.subarray(start, end)),
  });
  const { sheets, rows: read } = await readWorkbook(workbook);
  let [at, wrong] = [-1, 0];
  for await (const batch of read(sheets[0]?.path ?? ''))
    for (const cells of batch) {
      const expected = at === -1 ? { cells: headings, status: 'email_status' } : row(at);
      if (cells.slice(0, 5).join('\0') !== [...expected.cells, expected.status].join('\0')) wrong += 1;
      at += 1;
    }
  return wrong + Math.abs(rows - at);
}
