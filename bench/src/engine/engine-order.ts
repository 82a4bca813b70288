/** What an engine of a benchmark is told, whichever it is, and what is asked of it. */
import {
  createEngine,
  defaultLimits,
  parseCidr,
  parseDnsServer,
  type Engine,
  type Limits,
} from '@mailproof/engine';

export type EngineOrder = {
  dnsServers: { ip: string; port: number }[];
  smtpPort: number;
  heloName: string;
  mailFrom: string;
  egressAllow: NonNullable<ReturnType<typeof parseCidr>>[];
  openConversations: number;
  starttls: 'demanded' | 'always';
};

export type EngineLike = Pick<Engine, 'verify' | 'close'> & {
  counts(): { dnsQueries: number; conversations: number };
};

export function orderFor(
  world: { dnsServer: string; smtpPort: number },
  { openConversations, starttls }: Pick<EngineOrder, 'openConversations' | 'starttls'>,
): EngineOrder {
  const server = parseDnsServer(world.dnsServer);
  const loopback = parseCidr('127.0.0.0/8');
  if (server === undefined || loopback === undefined) throw new Error('the world is not on loopback');
  return {
    dnsServers: [server],
    smtpPort: world.smtpPort,
    heloName: 'probe.test',
    mailFrom: 'verify@probe.test',
    egressAllow: [loopback],
    openConversations,
    starttls,
  };
}

export function limitsFor({ openConversations }: EngineOrder): Limits {
  return { ...defaultLimits, openConversations };
}

/** The engine as it is, with the limits per destination lifted. */
export function createOurEngine(order: EngineOrder): EngineLike {
  const engine = createEngine({
    ...order,
    pacing: 'off',
    listFiles: {},
    limits: limitsFor(order),
    onProblem: (message) => {
      throw new Error(message);
    },
  });
  return {
    verify: (email, request) => engine.verify(email, request),
    counts() {
      const { dnsQueries, dialled } = engine.counts();
      return { dnsQueries, conversations: dialled };
    },
    close: () => engine.close(),
  };
}
