import { startWorld, type World, type WorldDescription, type WorldOptions } from '@mailproof/world';
import { systemClock } from '../../src/clock.ts';
import { createEngine, type Engine, type EngineSettings } from '../../src/create-engine.ts';
import { parseDnsServer } from '../../src/dns/create-resolver.ts';
import { parseCidr } from '../../src/ip-address.ts';
import type { Asker } from '../../src/fair-queue.ts';
import type { Outcome } from '../../src/verify.ts';

/** A real engine in a world on loopback, for tests: real DNS packets, real sockets, real TLS. */
export type EngineInWorld = {
  engine: Engine;
  world: World;
  verify: (
    email: string,
    options?: { withinMs?: number; signal?: AbortSignal; asker?: Asker; isFresh?: boolean },
  ) => Promise<Outcome>;
  stop(): Promise<void>;
};

const nobody: Asker = { urgency: 'single', account: '' };

export async function startEngine(
  description: WorldDescription,
  settings: Partial<EngineSettings> = {},
  options: WorldOptions = {},
): Promise<EngineInWorld> {
  const world = await startWorld(description, options);
  const engine = await openEngine(world, settings);
  return {
    engine,
    world,
    verify: (
      email,
      { withinMs = 30_000, signal = new AbortController().signal, asker = nobody, isFresh } = {},
    ) => engine.verify(email, { deadline: systemClock.now() + withinMs, signal, asker, isFresh }),
    async stop() {
      engine.close();
      await world.stop();
    },
  };
}

/** Opens an engine in a world that exists already. A world without its engine would keep the test process alive. */
export async function openEngine(world: World, settings: Partial<EngineSettings>): Promise<Engine> {
  try {
    return createEngine(settingsFor(world, settings));
  } catch (error) {
    await world.stop();
    throw error;
  }
}

function settingsFor(world: World, settings: Partial<EngineSettings>): EngineSettings {
  const server = parseDnsServer(world.dnsServer);
  if (server === undefined) throw new Error(`the world gave no DNS server: ${world.dnsServer}`);
  return {
    dnsServers: [server],
    smtpPort: world.smtpPort,
    heloName: 'probe.test',
    mailFrom: 'verify@probe.test',
    egressAllow: ['127.0.0.0/8', '::1/128'].flatMap((block) => parseCidr(block) ?? []),
    starttls: 'demanded',
    pacing: 'off',
    listFiles: {},
    onProblem: (message) => {
      throw new Error(message);
    },
    ...settings,
  };
}

/** A domain whose one mail host is described; the host is `mx.` before the domain. */
export function oneHost(domain: string, host: WorldDescription['hosts'][string]): WorldDescription {
  return { zones: { [domain]: { mx: [[10, `mx.${domain}`]] } }, hosts: { [`mx.${domain}`]: host } };
}
