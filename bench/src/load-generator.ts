/**
 * The load generator, in a process of its own. It writes prepared bytes and reads only the status line and the length
 * of each response, so that it costs little beside the server it measures. There are two kinds of load:
 *
 * - closed: each connection has one request under way at a time (no pipelining);
 * - open: requests leave at their times and wait for no answer, as many independent users send them.
 *
 * Connections are kept alive, and opened again if the server closes them.
 */
import { connect, type Socket } from 'node:net';
import { answerQuestions, type ChildModule } from './processes/child.ts';

export type LoadOrder = {
  port: number;
  connections: number;
  forMs: number;
  /** The request as it goes on the wire. If it has marks (`serialMark`), every request has a number of its own. */
  request: string;
  /** The number of the first request. */
  from: number;
  expectedStatus: number;
  /** Answers in this time at the beginning do not count. */
  settleMs?: number;
};

export type LoadReport = {
  /** Requests answered as expected within the time. */
  completed: number;
  /** Requests answered otherwise, by status. */
  otherwise: Record<string, number>;
  forMs: number;
  latenciesMs: number[];
  /** The number after that of the last request. */
  next: number;
};

export const loadModule: ChildModule<LoadOrder, LoadReport> = {
  path: import.meta.filename,
};

answerQuestions(
  import.meta.filename,
  (order: LoadOrder | OpenLoadOrder): Promise<LoadReport | OpenLoadReport> =>
    'perSecond' in order ? applyOpenLoad(order) : applyLoad(order),
);

/** Longest wait for the requests under way at the end, so that a server that stands still ends the round too. */
const drainMs = 15_000;

type Round = LoadOrder & { report: LoadReport; startedAt: number; requestAt: (number: number) => string };

async function applyLoad(order: LoadOrder): Promise<LoadReport> {
  const { forMs, from, settleMs = 0 } = order;
  const counted = forMs - settleMs;
  const report: LoadReport = { completed: 0, otherwise: {}, forMs: counted, latenciesMs: [], next: from };
  const requestAt = withNumber(order.request);
  const round: Round = { ...order, report, requestAt, startedAt: performance.now() };
  await Promise.all(Array.from({ length: order.connections }, () => keepAsking(round)));
  return report;
}

const isOver = ({ startedAt, forMs }: Round): boolean => performance.now() - startedAt >= forMs;

async function keepAsking(round: Round): Promise<void> {
  while (!isOver(round)) await useConnection(round);
}

/** Asks until the time is up or the server closes the connection. */
function useConnection(round: Round): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: round.port, noDelay: true });
    const limit = setTimeout(() => socket.destroy(), round.forMs + drainMs);
    let sentAt = 0;
    const ask = (): void => {
      if (isOver(round)) return void socket.end();
      sentAt = performance.now();
      send(socket, round);
    };
    const reader = createResponseReader((status, closes) => {
      note(round, status, sentAt);
      if (closes) socket.end();
      else ask();
    });
    socket.on('connect', ask).on('data', (bytes: Buffer) => reader.push(bytes));
    socket.on('error', reject).on('close', () => {
      clearTimeout(limit);
      resolve();
    });
  });
}

function send(socket: Socket, { requestAt, report }: Round): void {
  socket.write(requestAt(report.next), 'latin1');
  report.next += 1;
}

function note(round: Round, status: number, sentAt: number): void {
  const { report, expectedStatus } = round;
  if (status !== expectedStatus) {
    report.otherwise[status] = (report.otherwise[status] ?? 0) + 1;
    return;
  }
  if (isOver(round) || performance.now() - round.startedAt < (round.settleMs ?? 0)) return;
  report.completed += 1;
  report.latenciesMs.push(performance.now() - sentAt);
}

export type OpenLoadOrder = {
  port: number;
  path: string;
  /** Requests are dealt out to these in turn. */
  keys: string[];
  domains: string[];
  perSecond: number;
  forMs: number;
  mostConnections: number;
  /** The number of the first request. */
  from: number;
};

export type OpenLoadReport = {
  /** `atMs` is when the answer came, from the beginning. */
  answered: { status: number; ms: number; atMs: number }[];
  /** Not sent, since every connection that may be open was taken. */
  unsent: number;
  /** Connections that ended before their answer. */
  broken: number;
  /** Refusals (503) that do not say when to come again. */
  withoutRetryAfter: number;
  /** How far behind its schedule the generator itself was, at each look. */
  lateMs: number[];
};

export const openLoadModule: ChildModule<OpenLoadOrder, OpenLoadReport> = {
  path: import.meta.filename,
};

/** Interval of the bursts in which requests leave; timers are no finer. */
const tickMs = 5;

type Line = { socket: Socket; sentAt: number | undefined };

type Load = OpenLoadOrder & {
  report: OpenLoadReport;
  startedAt: number;
  idle: Line[];
  open: Set<Line>;
  next: number;
};

async function applyOpenLoad(order: OpenLoadOrder): Promise<OpenLoadReport> {
  const report = { answered: [], unsent: 0, broken: 0, withoutRetryAfter: 0, lateMs: [] };
  const load: Load = {
    ...order,
    report,
    startedAt: performance.now(),
    idle: [],
    open: new Set(),
    next: order.from,
  };
  await sendInTime(load);
  await untilAnswered(load);
  for (const { socket } of load.open) socket.destroy();
  return report;
}

function sendInTime(load: Load): Promise<void> {
  const { perSecond, forMs, startedAt } = load;
  let sent = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedAt;
      const due = Math.floor((Math.min(elapsedMs, forMs) * perSecond) / 1_000);
      load.report.lateMs.push(Math.max(0, elapsedMs - (1_000 * sent) / perSecond));
      for (; sent < due; sent += 1) sendNext(load);
      if (elapsedMs < forMs) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
}

function sendNext(load: Load): void {
  const line = load.idle.pop();
  if (line !== undefined) write(line, load);
  else if (load.open.size < load.mostConnections) openLine(load);
  else load.report.unsent += 1;
}

function write(line: Line, load: Load): void {
  const serial = load.next;
  load.next += 1;
  const domain = load.domains[serial % load.domains.length] ?? '';
  const body = { email: `nobody${serial}@${domain}` };
  const key = load.keys[serial % load.keys.length] ?? '';
  line.sentAt = performance.now();
  line.socket.write(wireRequest({ method: 'POST', path: load.path, key, body }), 'latin1');
}

function openLine(load: Load): void {
  const socket = connect({ host: '127.0.0.1', port: load.port, noDelay: true });
  const line: Line = { socket, sentAt: performance.now() };
  load.open.add(line);
  const reader = createResponseReader((status, closes, head) => {
    noteAnswer(line, { status, head }, load);
    if (closes) socket.end();
    else load.idle.push(line);
  });
  socket.on('connect', () => write(line, load)).on('data', (bytes: Buffer) => reader.push(bytes));
  socket
    .on('error', () => undefined)
    .on('close', () => {
      load.open.delete(line);
      const place = load.idle.indexOf(line);
      if (place >= 0) load.idle.splice(place, 1);
      if (line.sentAt !== undefined) load.report.broken += 1;
    });
}

function noteAnswer(line: Line, { status, head }: { status: number; head: string }, load: Load): void {
  const now = performance.now();
  const ms = now - (line.sentAt ?? now);
  line.sentAt = undefined;
  load.report.answered.push({ status, ms, atMs: now - load.startedAt });
  if (status === 503 && !/\r\nretry-after: *\d+/i.test(head)) load.report.withoutRetryAfter += 1;
}

async function untilAnswered({ open }: Load): Promise<void> {
  const underWay = () => [...open].some(({ sentAt }) => sentAt !== undefined);
  for (const since = performance.now(); underWay() && performance.now() - since < drainMs;)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Finds the end of each HTTP/1.1 response in a stream of bytes, by `Content-Length`; bodies are counted, not kept. */
type ResponseReader = { push(bytes: Buffer): void };

type OnResponse = (status: number, closes: boolean, head: string) => void;

export function createResponseReader(onResponse: OnResponse): ResponseReader {
  let head = '';
  let headRead = '';
  let bodyLeft = 0;
  let status = 0;
  let closes = false;

  /** Reads the head if it is complete, and counts off the part of the body that came with it. */
  function readHead(): boolean {
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) throw new Error(`a response without a length: ${head.slice(0, 200)}`);
    headRead = head.slice(0, end);
    status = Number(head.slice(9, 12));
    closes = /\r\nconnection: *close/i.test(head);
    bodyLeft = Number(length) - (head.length - end - 4);
    return true;
  }

  return {
    push(bytes) {
      if (bodyLeft > 0) {
        bodyLeft -= bytes.length;
      } else {
        head += bytes.toString('latin1');
        if (!readHead()) return;
      }
      if (bodyLeft > 0) return;
      head = '';
      onResponse(status, closes, headRead);
    },
  };
}

/** Stands in a request where each that is sent has a number of its own, of the same length. */
export const serialMark = '########';

/** The first five digits of the same number, and the last three: a mailbox of many at a domain of many. */
export const mailboxMark = '^^^^^';
export const domainMark = '~~~';

type Asked = {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  body: unknown;
  /** The page of a browser that asks. */
  origin?: string;
};

/** A request as bytes on the wire. All of it is ASCII, so characters are bytes. */
export function wireRequest({ method, path, key, body, origin }: Asked): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ...(text === '' ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
    '',
    text,
  ].join('\r\n');
}

/** Puts a number where the marks are. */
export function withNumber(request: string): (number: number) => string {
  const pieces = request.split(/(#{8}|\^{5}|~{3})/);
  return (number) => {
    const serial = String(number).padStart(serialMark.length, '0');
    const values = new Map([
      [serialMark, serial],
      [mailboxMark, serial.slice(0, mailboxMark.length)],
      [domainMark, serial.slice(-domainMark.length)],
    ]);
    return pieces.map((piece) => values.get(piece) ?? piece).join('');
  };
}
