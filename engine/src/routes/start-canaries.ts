import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { askCanary, type CanaryParts } from './ask-canary.ts';
import type { DialNews, MailPortWatch } from './watch-mail-port.ts';

/**
 * Asks the canaries at once and then every `canaryEveryMs`, one round after the other, and tells the watch
 * what each round found. Canaries are mail hosts that the operator named for this; without any, the mail hosts of the
 * operator's own sender domain are asked where the watch wants to make sure, and nobody otherwise.
 */
export type CanariesParts = CanaryParts & {
  hosts: readonly CanonicalHost[];
  /** The mail hosts of the operator's own domain. */
  findOwnHosts(patience: Patience): Promise<readonly CanonicalHost[]>;
  /** The addresses of a host, best first; none where the lookup fails. */
  findAddresses(host: CanonicalHost, patience: Patience): Promise<readonly string[]>;
  watch: Pick<MailPortWatch, 'noteCanaries'>;
  onProblem(message: string): void;
};

type Canaries = {
  /** A round at once: what each host that is known to live has to say. */
  ask(): Promise<readonly DialNews[]>;
  /** Begins the next round now, where the operator named hosts for it. */
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
        // Whoever stops the canaries no longer wants to know.
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

/** A name that does not resolve is the resolver's trouble and no news of the port. */
async function visit(
  host: CanonicalHost,
  parts: CanariesParts,
  patience: Patience,
): Promise<DialNews | undefined> {
  const [address] = await parts.findAddresses(host, patience);
  return address === undefined ? undefined : await askCanary({ host, address }, parts, patience);
}
