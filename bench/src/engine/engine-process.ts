/** The process that is measured: one engine, one list of addresses, and nothing else. */
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@mailproof/engine';
import { answerQuestions } from '../processes/child.ts';
import { createOurEngine, orderFor, type EngineLike } from './engine-order.ts';
import type { EngineQuestion, Measured, PrepareQuestion, VerifyQuestion } from './engine-module.ts';
import { createPlainEngine } from './plain-engine.ts';
import { addressOf, hostAddress, warmUpAddressOf } from './population.ts';
import { watchLoop } from './watch-loop.ts';

answerQuestions((question: EngineQuestion): Promise<Measured | undefined> => {
  switch (question.kind) {
    case 'prepare':
      return prepare(question);
    case 'verify':
      return verifyAll(question);
    case 'connect':
      return connectOnly(question);
  }
});

/** Far beyond any measurement: what is measured is work, not the giving up. */
const patienceMs = 900_000;
const usualWarmUps = 500;
const sampleMs = 100;

const place: { engine?: EngineLike } = {};

/** Code is compiled and lists are read before anything is measured, at domains that are of no use later. */
async function prepare(question: PrepareQuestion): Promise<undefined> {
  const { variant, world, warmUps = usualWarmUps, ...limits } = question;
  const order = orderFor(world, limits);
  const engine = variant === 'ours' ? createOurEngine(order) : createPlainEngine(order);
  place.engine = engine;
  const work = (index: number): Promise<string> => ask(engine, warmUpAddressOf(index));
  await inFlight(warmUps, { most: 50, work });
  // This process is ended by a signal, which would keep it from saving what it compiled.
  flushCompileCache();
}

async function ask(engine: EngineLike, email: string): Promise<string> {
  const patience = { deadline: systemClock.now() + patienceMs, signal: new AbortController().signal };
  const outcome = await engine.verify(email, { ...patience, asker: { urgency: 'bulk', account: 'bench' } });
  return outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
}

async function verifyAll({ population, inFlight: most, beginPerSecond }: VerifyQuestion): Promise<Measured> {
  const { engine } = place;
  if (engine === undefined) throw new Error('no engine was prepared');
  const wrong: Record<string, number> = {};
  const work = async (index: number): Promise<void> => {
    const { email, status } = addressOf(index, population);
    const got = await ask(engine, email);
    if (got !== status) wrong[`${got} for ${status}`] = (wrong[`${got} for ${status}`] ?? 0) + 1;
  };
  const before = engine.counts();
  const measured = await measure(() => inFlight(population.addresses, { most, work, beginPerSecond }));
  const after = engine.counts();
  engine.close();
  return {
    ...measured,
    addresses: population.addresses,
    wrong,
    dnsQueries: after.dnsQueries - before.dnsQueries,
    conversations: after.conversations - before.conversations,
  };
}

type Flow = { most: number; work: (index: number) => Promise<unknown>; beginPerSecond?: number | undefined };

/** So many at a time, in order, until all are done. */
async function inFlight(count: number, { most, work, beginPerSecond = Infinity }: Flow): Promise<void> {
  let next = 0;
  const worker = async (_: unknown, number: number): Promise<void> => {
    if (beginPerSecond !== Infinity) await pause((1_000 * number) / beginPerSecond);
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, count) }, worker));
}

type Bare = Omit<Measured, 'addresses' | 'wrong' | 'dnsQueries' | 'conversations'>;

async function measure(work: () => Promise<void>): Promise<Bare> {
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const delay = watchLoop();
  const rssBefore = process.memoryUsage.rss();
  let peak = process.memoryUsage();
  const sampling = setInterval(() => {
    if (process.memoryUsage.rss() > peak.rss) peak = process.memoryUsage();
  }, sampleMs);
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  const ms = performance.now() - startedAt;
  const loop = delay.stop();
  clearInterval(sampling);
  globalThis.gc?.();
  return {
    ms,
    cpuMs: (user + system) / 1_000,
    rssBeforeMb: rssBefore / 2 ** 20,
    rssPeakMb: peak.rss / 2 ** 20,
    heapAtPeakMb: peak.heapUsed / 2 ** 20,
    heapGrowthMb: (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20,
    ...loop,
  };
}

/** What the runtime asks for a connection by itself: open it, hear the banner, close it. */
async function connectOnly({
  world,
  connections,
  inFlight: most,
  hosts,
}: EngineQuestion & { kind: 'connect' }): Promise<Measured> {
  const work = async (index: number): Promise<void> => {
    const socket = connect({ host: hostAddress(index % hosts), port: world.smtpPort, noDelay: true });
    await once(socket, 'data');
    const closed = once(socket, 'close');
    socket.end('QUIT\r\n');
    socket.resume();
    await closed;
  };
  await inFlight(usualWarmUps, { most, work });
  const measured = await measure(() => inFlight(connections, { most, work }));
  return { ...measured, addresses: connections, wrong: {}, dnsQueries: 0, conversations: connections };
}
