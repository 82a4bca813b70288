import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@mailproof/engine';
import { answerQuestions } from '../processes/child.ts';
import { createOurEngine, orderFor, type EngineLike } from './engine-order.ts';
import { briskDomain, tarpitDomain, type FairnessQuestion, type FairnessTimes } from './fairness-module.ts';

const inFlight = 4;
const patienceMs = 60_000;

answerQuestions(async ({ world, rounds, addresses, tarpitAddresses }: FairnessQuestion) => {
  const engine = createOurEngine(orderFor(world, { openConversations: 5_000, starttls: 'demanded' }));
  const times: FairnessTimes = { idle: [], beside: [], wrong: 0 };
  let next = 0;
  const timeSome = async (into: number[]): Promise<void> => {
    let left = addresses;
    const worker = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const startedAt = performance.now();
        const status = await verifyQuick(engine, (next += 1) - 1);
        into.push(performance.now() - startedAt);
        if (status !== 'catch_all') times.wrong += 1;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  };
  await timeSome([]);
  for (let round = 0; round < rounds; round += 1) {
    await timeSome(times.idle);
    const leave = await occupyTarpit(engine, tarpitAddresses);
    await timeSome(times.beside);
    await leave();
  }
  engine.close();
  return times;
});

async function verifyQuick(engine: EngineLike, index: number): Promise<string> {
  const outcome = await engine.verify(`somebody@${briskDomain(index)}`, {
    deadline: systemClock.now() + patienceMs,
    signal: new AbortController().signal,
    asker: { urgency: 'single', account: 'quick' },
  });
  return outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
}

/** The other account asks for all of its addresses at once, and leaves when it is told to. */
async function occupyTarpit(engine: EngineLike, addresses: number): Promise<() => Promise<void>> {
  const { signal, abort } = leavable();
  const asker = { urgency: 'bulk', account: 'slow' } as const;
  const deadline = systemClock.now() + patienceMs;
  const before = engine.counts().conversations;
  const all = Array.from({ length: addresses }, (_, index) =>
    engine.verify(`person${index}@${tarpitDomain}`, { deadline, signal, asker }),
  );
  const ended = Promise.allSettled(all);
  while (engine.counts().conversations === before) await pause(10);
  return async () => {
    abort();
    await ended;
  };
}

function leavable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('the measurement is over')) };
}
