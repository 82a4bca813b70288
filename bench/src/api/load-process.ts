/**
 * The load generator: so many connections, each with one request under way at a time (no pipelining), kept alive
 * and opened again where the server closes them. It writes prepared bytes and looks only at the status line and
 * the length of what comes back, so that it costs little beside the server it measures.
 */
import { connect, type Socket } from 'node:net';
import { answerQuestions } from '../processes/child.ts';
import type { LoadOrder, LoadReport } from './load-module.ts';
import { createResponseReader } from './response-reader.ts';
import { withNumber } from './wire-request.ts';

/** A server that stands still ends the round all the same. */
const drainMs = 15_000;

type Round = LoadOrder & { report: LoadReport; startedAt: number; requestAt: (number: number) => string };

answerQuestions(applyLoad);

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
