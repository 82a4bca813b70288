import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@mailproof/engine';
import { answerQuestions, type ChildModule } from '../processes/child.ts';
import { createOurEngine, orderFor, createPlainEngine, type EngineLike } from './engines.ts';
import { addressOf, hostAddress, warmUpAddressOf, type Population } from './population.ts';
import { watchLoop, type LoopDelay } from './watch-loop.ts';

const root = join(import.meta.dirname, '..', '..', '..');

type WorldAt = { dnsServer: string; smtpPort: number };

export type PrepareQuestion = {
  kind: 'prepare';
  variant: 'ours' | 'plain';
  world: WorldAt;
  openConversations: number;
  starttls: 'demanded' | 'always';
  /** Addresses verified before anything is measured, so that code is compiled; without it as many as that takes. */
  warmUps?: number;
};

export type VerifyQuestion = {
  kind: 'verify';
  population: Population;
  /** Addresses under way at once, those that wait for a conversation included. */
  inFlight: number;
  /** Addresses begun per second at first. Without it all of `inFlight` begin at once. */
  beginPerSecond?: number;
};

export type EngineQuestion =
  | PrepareQuestion
  | VerifyQuestion
  | { kind: 'connect'; world: WorldAt; connections: number; inFlight: number; hosts: number };

export type Measured = LoopDelay & {
  addresses: number;
  ms: number;
  /** User and system time of the process. */
  cpuMs: number;
  /** Resident memory before the first address: the runtime, the code, the lists. */
  rssBeforeMb: number;
  rssPeakMb: number;
  /** The part of it that the heap held then. */
  heapAtPeakMb: number;
  /** Heap still held after the last address and a garbage collection. */
  heapGrowthMb: number;
  /** Verdicts that were not what they should be. */
  wrong: Record<string, number>;
  dnsQueries: number;
  conversations: number;
};

/** The launcher's own flags for the heap, and compiled code kept between runs. */
export const asTheServiceRuns = {
  execArgv: ['--expose-gc', ...launcherHeapFlags()],
  env: { NODE_COMPILE_CACHE: join(root, '.cache', 'compiled') },
};

export const engineModule: ChildModule<EngineQuestion, Measured | undefined> = {
  path: import.meta.filename,
  ...asTheServiceRuns,
};

/** Reads the launcher's flags, so that the engine is measured as it is run. */
function launcherHeapFlags(): string[] {
  const launcher = readFileSync(join(root, 'mailproof'), 'utf8');
  const [, heap = ''] = /^heap='([^']+)'$/m.exec(launcher) ?? [];
  const flags = heap.match(/--max-(?:semi|old)-space-size=\d+/g) ?? [];
  if (flags.length !== 2) throw new Error('the launcher no longer bounds the heap');
  return flags;
}

/** The process that is measured: one engine, one list of addresses, and nothing else. */
answerQuestions(import.meta.filename, (question: EngineQuestion): Promise<Measured | undefined> => {
  switch (question.kind) {
    case 'prepare':
      return prepare(question);
    case 'verify':
      return verifyAll(question);
    case 'connect':
      return connectOnly(question);
  }
});

/** Far beyond any measurement, so that no address is given up. */
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

/** Works on all in order, at most `most` at a time. */
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

/** Measures bare connections of the runtime: open, hear the banner, close. */
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
