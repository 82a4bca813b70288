import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { Connection } from '../smtp/connection.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { RouteDialOutcome } from './create-route-dialer.ts';
import type { DialNews, MailPortWatch } from './watch-mail-port.ts';

/**
 * Asks the canaries at once and then every `canaryEveryMs`, one round after the other, and tells the watch the
 * result of each round. Canaries are mail hosts that the operator named for this. Without any, the mail hosts of the
 * operator's own sender domain are asked when the watch wants to make sure, and not otherwise.
 */
export type CanariesParts = CanaryParts & {
  hosts: readonly CanonicalHost[];
  /** The mail hosts of the operator's own domain. */
  findOwnHosts(patience: Patience): Promise<readonly CanonicalHost[]>;
  /** The addresses of a host, best first; none if the lookup fails. */
  findAddresses(host: CanonicalHost, patience: Patience): Promise<readonly string[]>;
  watch: Pick<MailPortWatch, 'noteCanaries'>;
  onProblem(message: string): void;
};

type Canaries = {
  /** Makes a round at once: returns the answer of each host that is known to live. */
  ask(): Promise<readonly DialNews[]>;
  /** Begins the next round now, if the operator named hosts for it. */
  askSoon(): void;
  /** Ends the round under way, and no other begins. */
  stop(): void;
};

export function startCanaries(parts: CanariesParts): Canaries {
  const { clock, limits } = parts;
  const stopped = new AbortController();
  let cancelTimer: () => void = () => undefined;

  async function ask(): Promise<DialNews[]> {
    const roundMs = limits.dnsLookupMs + limits.connectMs + limits.bannerMs + limits.quitMs;
    const patience = { deadline: clock.now() + roundMs, signal: stopped.signal };
    const hosts = parts.hosts.length > 0 ? parts.hosts : await parts.findOwnHosts(patience);
    const news = await Promise.all(hosts.map((host) => visit(host, parts, patience)));
    return news.filter((outcome) => outcome !== undefined);
  }

  function begin(): void {
    cancelTimer();
    ask()
      .then((news) => parts.watch.noteCanaries(news))
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) parts.onProblem(`the canaries could not be asked: ${String(error)}`);
      })
      .finally(() => {
        if (stopped.signal.aborted) return;
        cancelTimer();
        cancelTimer = clock.after(limits.canaryEveryMs, begin);
      });
  }

  if (parts.hosts.length > 0) begin();
  return {
    async ask() {
      try {
        return await ask();
      } catch (error) {
        // A stopped watch wants no result.
        if (stopped.signal.aborted) return [];
        throw error;
      }
    },
    askSoon() {
      if (parts.hosts.length > 0 && !stopped.signal.aborted) begin();
    },
    stop() {
      stopped.abort();
      cancelTimer();
    },
  };
}

/** Visits a host. A name that does not resolve is the resolver's trouble and no news of the port. */
async function visit(
  host: CanonicalHost,
  parts: CanariesParts,
  patience: Patience,
): Promise<DialNews | undefined> {
  const [address] = await parts.findAddresses(host, patience);
  return address === undefined ? undefined : await askCanary({ host, address }, parts, patience);
}

/**
 * One visit to a canary: connect, wait for the banner, QUIT. Any reply for a banner shows that a mail host was
 * reached. A connection without one shows only that it was accepted, which a middlebox may do as well.
 *
 * `undefined` is no news: the visit failed for a reason that is not the port.
 */
type CanaryParts = {
  clock: Clock;
  limits: Limits;
  dial(target: MailTarget, patience: Patience): Promise<RouteDialOutcome>;
};

async function askCanary(
  target: MailTarget,
  parts: CanaryParts,
  patience: Patience,
): Promise<DialNews | undefined> {
  const { clock, limits } = parts;
  const dialled = await parts.dial(target, patience);
  if (dialled.kind === 'failed') {
    return dialled.why === 'forbidden' || dialled.why === 'route_down' ? undefined : dialled.why;
  }
  const connection = new Connection(dialled.socket, { clock, limits, signal: patience.signal });
  try {
    const banner = await connection.read(Math.min(patience.deadline, clock.now() + limits.bannerMs));
    if (banner.kind === 'fault') return banner.fault === 'timeout' ? 'timeout' : 'hung_up';
    connection.send([{ verb: 'QUIT' }]);
    await connection.read(Math.min(patience.deadline, clock.now() + limits.quitMs));
    return 'connected';
  } finally {
    connection.destroy();
  }
}
