import { rereadEvidence, type createEngine, type Engine } from '@mailproof/engine';
import type { Logger } from 'pino';
import type { Config } from '../../core/config/config.ts';
import type { ProcessRole } from '../../core/store/process-registry.ts';
import type { Store } from '../../core/store/store.ts';
import { createDispatcher } from './dispatch.ts';
import { keepEgress, type EgressKeeper } from './keep-egress.ts';
import { createProbeExchange, createStoreSource } from './probe-exchange.ts';
import { createProbeQueue, type ProbeQueue } from './probe-queue.ts';
import { runProber } from './run-prober.ts';
import { createProberHistory, noteRole } from './who-may-ask.ts';

type JoinParts = Omit<Parameters<typeof createProbeQueue>[0], 'reread'> &
  Omit<Parameters<typeof keepEgress>[0], 'engine' | 'pacing' | 'hadProber' | 'onRecovery'> & {
    store: Store;
    role: ProcessRole;
    logger: Logger;
  };

type EngineChoices = Pick<
  Parameters<typeof createEngine>[0],
  'isBelieved' | 'mayAskElsewhere' | 'chooseProber' | 'sharesEgress'
>;

type Joining = {
  /** Hands probes to other processes. */
  queue: ProbeQueue;
  /** Chooses the prober of an engine. */
  choices: EngineChoices;
  /** Joins with an engine: owns egress addresses, and asks the probes of other processes. */
  join: (engine: Engine) => Promise<{ egress: EgressKeeper; leave: () => Promise<void> }>;
};

/**
 * Joins a process to the installation's probers: it owns egress addresses, asks probes of other processes, and hands
 * them its own.
 */
export function joinProbers(config: Pick<Config, 'pacing'>, parts: JoinParts): Joining {
  const queue = createProbeQueue({ ...parts, reread: rereadEvidence });
  const kept: { egress?: EgressKeeper } = {};
  const keeper = (): EgressKeeper => {
    if (kept.egress === undefined) throw new Error('a mailbox was asked for before the start was complete');
    return kept.egress;
  };
  return {
    queue,
    choices: {
      sharesEgress: config.pacing === 'on',
      isBelieved: (prober) => isBelieved(prober, keeper()),
      // A process with the role `all` knows which blocks are open, but not those of an outside prober.
      mayAskElsewhere: () => parts.role !== 'all' || kept.egress?.areAllOurs() !== true,
      chooseProber: (local, policies) =>
        createDispatcher({ local, policies, clock: parts.clock, queue, egress: keeper }),
    },
    join: async (engine) => {
      await noteRole(parts);
      const egress = await keepEgress({
        ...parts,
        engine,
        pacing: config.pacing,
        hadProber: createProberHistory(parts),
        onRecovery: (message) => parts.logger.info(message),
      });
      kept.egress = egress;
      const serving = serveOthers({ ...parts, engine, egress, queue });
      const leave = async () => {
        await serving.stop();
        await queue.close();
        await egress.stop();
      };
      return { egress, leave };
    },
  };
}

/** Tells whether an outside prober may ask: not removed, in quarantine or put aside. */
function isBelieved(prober: string, egress: EgressKeeper): boolean {
  return egress.addresses().some(({ owner, well }) => owner === prober && well);
}

/** Time that open probes have to end when the process stops; other processes ask the remaining ones. */
const drainMs = 10_000;

type ServingParts = JoinParts & { engine: Engine; egress: EgressKeeper; queue: ProbeQueue };

/** Asks the probes that other processes hand to us, from our own egress addresses. */
function serveOthers({ engine, egress, queue, ...parts }: ServingParts): { stop(): Promise<void> } {
  const exchange = createProbeExchange(parts);
  const running = runProber({
    source: createStoreSource(exchange, parts.processId),
    prober: engine.prober,
    clock: parts.clock,
    egress: () => egress.shared(),
    onProblem: parts.onProblem,
  });
  egress.onChange(() => {
    for (const prober of engine.answers.probers())
      if (!isBelieved(prober, egress)) engine.answers.forgetFrom(prober);
    running.wake();
    takeBack({ egress, queue, onProblem: parts.onProblem });
  });
  return {
    stop: async () => {
      await running.stop(drainMs);
      exchange.close();
    },
  };
}

/** Takes back probes for an egress address that has lost its owner or become ours; they are asked again. */
function takeBack({ egress, queue, onProblem }: Pick<ServingParts, 'egress' | 'queue' | 'onProblem'>): void {
  const owned = new Map(egress.addresses().map((one) => [one.name, one]));
  for (const name of queue.busy()) {
    const address = owned.get(name);
    const canAsk = address?.well === true && !egress.isOurs(name);
    if (!canAsk)
      queue
        .withdraw(name, address?.owner ?? '')
        .catch((error: unknown) => onProblem('cannot take probes back from another process', error));
  }
}
