/** One list through the service: uploaded, run, downloaded; each phase is measured and every row is compared. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readWorkbook } from '../../../service/src/features/lists/reading/read-workbook.ts';
import { openWorkbook } from '../../../service/src/features/lists/reading/workbook-parts.ts';
import type { Settings } from '../../../service/test/support/mailproof.ts';
import { makeWorkbook } from '../../../service/test/support/make-workbook.ts';
import { addressOf, type Population } from '../engine/population.ts';
import type { LoopDelay } from '../engine/watch-loop.ts';
import { startMailproof } from '../processes/servers.ts';

type ListOrder = {
  name: string;
  content: ListContent;
  format: 'csv' | 'xlsx';
  /** Of a test key for the sandbox, of a live one for the world. */
  apiKey: string;
};

type PhaseFigures = { phase: Phase; ms: number; processes: ProcessFigures[]; idleStallMs: number };

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
  /** A process that has nothing to do, so that only the machine delays its loop. */
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
  // A server that refuses the upload may not read all of it. Its answer says more than the broken pipe.
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

/** The lists of the benchmark, as a rule and not as data: a row is made when it is sent and again when it comes back. */
type ListRow = {
  cells: string[];
  /** The expected `email_status`. */
  status: string;
};

type ListContent = {
  headings: string[];
  rows: number;
  row: (index: number) => ListRow;
};

const headings = ['Name', 'Email', 'Company', 'Since'];
const domains = 20_000;
/** Half of the addresses are good, as in a list that has been looked after. */
const statuses = [
  'safe',
  'invalid',
  'safe',
  'catch_all',
  'safe',
  'unknown',
  'safe',
  'role_account',
  'safe',
  'inbox_full',
] as const;

/** Answered by the sandbox. One row in a hundred is a duplicate of an earlier one, one in a thousand is no address. */
export function sandboxList(rows: number): ListContent {
  const row = (index: number): ListRow => {
    if (index % 1_000 === 999) return rowOf(index, 'not an address', 'rejected');
    const person = index % 100 === 99 ? index - 50 : index;
    const status = statuses[person % statuses.length] ?? 'safe';
    // Neighbours are at different domains.
    const domain = `d${(person * 7_919) % domains}.example`;
    return rowOf(index, `p${person}+${status}@${domain}`, status);
  };
  return { headings, rows, row };
}

/** Answered by mail hosts of a world. */
export function worldList(population: Population): ListContent {
  const row = (index: number): ListRow => {
    const { email, status } = addressOf(index, population);
    return rowOf(index, email, status);
  };
  return { headings, rows: population.addresses, row };
}

function rowOf(index: number, email: string, status: string): ListRow {
  const since = `20${10 + (index % 15)}-0${1 + (index % 9)}-1${index % 10}`;
  return { cells: [`Doe, Jane ${index}`, email, `Firm ${index % 5_000}`, since], status };
}

/** The line of a row in CSV, without its end. Only the names hold a comma. */
function csvLine([name = '', ...more]: string[]): string {
  return [name.includes(',') ? `"${name}"` : name, ...more].join(',');
}

const linesAtOnce = 500;

function* csvPieces({ rows, row, headings: names }: ListContent): Generator<Buffer> {
  yield Buffer.from(`${csvLine(names)}\n`);
  for (let from = 0; from < rows; from += linesAtOnce) {
    const count = Math.min(linesAtOnce, rows - from);
    const lines = Array.from({ length: count }, (_, at) => `${csvLine(row(from + at).cells)}\n`);
    yield Buffer.from(lines.join(''));
  }
}

/** A workbook as spreadsheet programs write it: every text once, and cells that refer to it. */
function workbookOf({ rows, row, headings: names }: ListContent): Promise<Buffer> {
  const places = new Map<string, number>();
  const cellOf = (text: string): string => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return `<c t="s"><v>${place}</v></c>`;
  };
  const xml = [`<row>${names.map(cellOf).join('')}</row>`];
  for (let index = 0; index < rows; index += 1)
    xml.push(`<row>${row(index).cells.map(cellOf).join('')}</row>`);
  return makeWorkbook({ sheets: [{ name: 'People', xml: xml.join('') }], sharedStrings: [...places.keys()] });
}

/** Processes of the service whose memory and event loops are watched from one phase to the next. */
type ProcessFigures = {
  role: Role;
  /** The most memory it ever had resident in the phase (VmHWM). */
  peakMb: number;
  /** The longest that its event loop stood still, by the clock and by the processor time of its thread. */
  stallMs: number;
  stallCpuMs: number;
  /** The latter in moments when the host of a virtual machine gave nothing to others. */
  stallOwnCpuMs: number;
};

type Role = 'all' | 'api' | 'worker';

type WatchedService = {
  url: string;
  /** Forgets what was seen until now. */
  beginPhase: () => Promise<void>;
  endPhase: () => Promise<ProcessFigures[]>;
  stop: () => Promise<void>;
};

const preload = join(import.meta.dirname, 'loop-watch-process.ts');
const answersWithinMs = 60_000;

export async function startWatchedService(
  roles: readonly Role[],
  { env, folder }: { env: Settings; folder: string },
): Promise<WatchedService> {
  const settings = {
    ...env,
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${preload}`,
    BENCH_LOOP_FOLDER: folder,
  };
  const processes = await Promise.all(
    roles.map(async (role) => {
      const started = await startMailproof({ role, env: settings, logFile: join(folder, `${role}.log`) });
      return { role, ...started };
    }),
  );
  const port = processes.find((one) => one.port !== 0)?.port ?? 0;
  return {
    url: `http://127.0.0.1:${port}`,
    beginPhase: async () => {
      for (const { pid } of processes) {
        await readLoop(folder, pid);
        forgetPeak(pid);
      }
    },
    endPhase: () =>
      Promise.all(
        processes.map(async ({ role, pid }) => {
          const loop = await readLoop(folder, pid);
          return {
            role,
            peakMb: peakMb(pid),
            stallMs: loop.loopDelayMaxMs,
            stallCpuMs: loop.loopWorkMaxMs,
            stallOwnCpuMs: loop.loopOwnWorkMaxMs,
          };
        }),
      ),
    stop: async () => {
      await Promise.all(processes.map((one) => one.stop()));
    },
  };
}

async function readLoop(folder: string, pid: number): Promise<LoopDelay> {
  const file = join(folder, `loop-${pid}`);
  const before = linesOf(file).length;
  process.kill(pid, 'SIGUSR2');
  const until = performance.now() + answersWithinMs;
  while (performance.now() < until) {
    const last = linesOf(file)[before];
    if (last !== undefined) return JSON.parse(last) as LoopDelay;
    await pause(5);
  }
  throw new Error(`process ${pid} does not tell how its event loop is`);
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

/** Sets VmHWM back to what is resident now (proc(5), clear_refs). */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function peakMb(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}
