/**
 * Load that does not wait for answers: requests leave at their times, whatever became of those before, as they do
 * when many people ask who know nothing of each other. Connections are kept alive and as many as it takes, up to a bound.
 */
import { connect, type Socket } from 'node:net';
import { createResponseReader } from '../api/response-reader.ts';
import { wireRequest } from '../api/wire-request.ts';
import { answerQuestions } from '../processes/child.ts';
import type { OpenLoadOrder, OpenLoadReport } from './open-load-module.ts';

/** Requests leave in bursts of this many milliseconds, which is as fine as timers are. */
const tickMs = 5;
/** Those under way at the end are waited for this long. */
const drainMs = 15_000;

type Line = { socket: Socket; sentAt: number | undefined };

type Load = OpenLoadOrder & {
  report: OpenLoadReport;
  startedAt: number;
  idle: Line[];
  open: Set<Line>;
  next: number;
};

answerQuestions(applyLoad);

async function applyLoad(order: OpenLoadOrder): Promise<OpenLoadReport> {
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
      for (; sent < due; sent += 1) send(load);
      if (elapsedMs < forMs) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
}

function send(load: Load): void {
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
    note(line, { status, head }, load);
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

function note(line: Line, { status, head }: { status: number; head: string }, load: Load): void {
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
