/** An attacker, from an address of its own: connections that are opened again as soon as they are closed. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createResponseReader, wireRequest } from '../load-generator.ts';
import { answerQuestions, type ChildModule } from '../processes/child.ts';
import { sum } from '../results.ts';

/** The kind of an attack, and its number of connections. */
export type Attack =
  /** Headers of `POST /session`, and never the body that they announce. */
  | { kind: 'no_body'; connections: number }
  /** The body of a single verification, a byte a second. */
  | { kind: 'slow_body'; connections: number; key: string }
  /** Single verifications as anybody asks for them, at a host that takes its time, one after the other. */
  | { kind: 'slow_singles'; connections: number; key: string; domain: string }
  | { kind: 'idle'; connections: number }
  /** Single verifications in the sandbox, which costs nothing, each as soon as the one before is answered. */
  | { kind: 'test_singles'; connections: number; key: string }
  /** Keys that do not exist, at a rate over all connections. */
  | { kind: 'guesses'; connections: number; perSecond: number };

/** Answers count once the attack has been under way for `leadMs`. */
export type AttackOrder = { attack: Attack; port: number; leadMs: number; forMs: number };

/** Connections that were opened, the most at once, the answers by status, and how many of those there were a second. */
export type AttackReport = {
  opened: number;
  mostAtOnce: number;
  answers: Record<string, number>;
  answersPerSecond: number;
};

export const attackModule: ChildModule<AttackOrder, AttackReport> = {
  path: import.meta.filename,
};

const attackerAddress = '127.0.0.9';
const singlePath = '/api/v1/email-verification';
/** Before a connection that was closed is opened again. */
const reopenMs = 100;
const byteEveryMs = 1_000;

type Round = AttackOrder & {
  report: AttackReport;
  open: number;
  serial: number;
  countedFrom: number;
  until: number;
};

answerQuestions(import.meta.filename, async (order: AttackOrder): Promise<AttackReport> => {
  const report: AttackReport = { opened: 0, mostAtOnce: 0, answers: {}, answersPerSecond: 0 };
  const now = performance.now();
  const span = { countedFrom: now + order.leadMs, until: now + order.forMs };
  const round: Round = { ...order, ...span, report, open: 0, serial: 0 };
  await Promise.all(Array.from({ length: order.attack.connections }, () => keepAttacking(round)));
  report.answersPerSecond = (1_000 * sum(Object.values(report.answers))) / (order.forMs - order.leadMs);
  return report;
});

async function keepAttacking(round: Round): Promise<void> {
  while (performance.now() < round.until) {
    await useConnection(round);
    await pause(reopenMs);
  }
}

function useConnection(round: Round): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: round.port, localAddress: attackerAddress });
    const timer = setTimeout(() => socket.destroy(), Math.max(0, round.until - performance.now()));
    let next: NodeJS.Timeout | undefined;
    const go = () => {
      next = act(socket, round);
    };
    const reader = createResponseReader((status, closes) => {
      if (performance.now() >= round.countedFrom)
        round.report.answers[status] = (round.report.answers[status] ?? 0) + 1;
      if (closes) socket.end();
      else go();
    });
    socket.on('connect', () => {
      round.open += 1;
      round.report.opened += 1;
      round.report.mostAtOnce = Math.max(round.report.mostAtOnce, round.open);
      socket.once('close', () => (round.open -= 1));
      go();
    });
    socket.on('data', (bytes: Buffer) => reader.push(bytes)).on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      clearTimeout(next);
      resolve();
    });
  });
}

/** Starts the next step of a connection, at once or after the timer that it returns. */
function act(socket: Socket, round: Round): NodeJS.Timeout | undefined {
  const { attack } = round;
  switch (attack.kind) {
    case 'idle':
      return undefined;
    case 'no_body':
      socket.write(headOf('/session', 'none', 100));
      return undefined;
    case 'slow_body':
      socket.write(headOf(singlePath, attack.key, 1_000));
      return setInterval(() => socket.write('{'), byteEveryMs);
    case 'slow_singles':
      socket.write(single(attack.key, `slow${(round.serial += 1)}@${attack.domain}`));
      return undefined;
    case 'test_singles':
      socket.write(single(attack.key, 'safe@sandbox.test'));
      return undefined;
    case 'guesses':
      return guessLater(socket, attack);
  }
}

/** Spreads the connections over time, so that together they keep the rate. */
function guessLater(socket: Socket, attack: Attack & { kind: 'guesses' }): NodeJS.Timeout {
  const guess = () => socket.write(single(`mp_live_${randomBytes(24).toString('hex')}`, 'a@example.com'));
  return setTimeout(guess, (2_000 * Math.random() * attack.connections) / attack.perSecond);
}

function single(key: string, email: string): string {
  return wireRequest({ method: 'POST', path: singlePath, key, body: { email } });
}

/** The head of a request with a body of that length. */
function headOf(path: string, key: string, bytes: number): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
    '',
    '',
  ].join('\r\n');
}
