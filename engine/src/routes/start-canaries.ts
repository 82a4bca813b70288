import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { askCanary, type CanaryParts } from './ask-canary.ts';
import type { DialNews, MailPortWatch } from './watch-mail-port.ts';

/**
 * Asks the canaries at once and then every `canaryEveryMs`, one round after the other, and tells the watch
 * what each round found. Canaries are mail hosts that the operator named for this; none is asked unasked.
 */
export type CanariesParts = CanaryParts & {
  hosts: readonly CanonicalHost[];
  /** The addresses of a host, best first; none where the lookup fails. */
  findAddresses(host: CanonicalHost, patience: Patience): Promise<readonly string[]>;
  watch: Pick<MailPortWatch, 'noteCanaries'>;
  onProblem(message: string): void;
};

type Canaries = {
  /** Ends the round under way, and no other begins. */
  stop(): void;
};

export function startCanaries(parts: CanariesParts): Canaries {
  if (parts.hosts.length === 0) return { stop: () => undefined };
  const { clock, limits } = parts;
  const stopped = new AbortController();
  let cancelTimer: () => void = () => undefined;

  async function round(): Promise<void> {
    const roundMs = limits.dnsLookupMs + limits.connectMs + limits.bannerMs + limits.quitMs;
    const patience = { deadline: clock.now() + roundMs, signal: stopped.signal };
    const news = await Promise.all(parts.hosts.map((host) => visit(host, parts, patience)));
    parts.watch.noteCanaries(news.filter((outcome) => outcome !== undefined));
  }

  function begin(): void {
    round()
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) parts.onProblem(`the canaries could not be asked: ${String(error)}`);
      })
      .finally(() => {
        if (!stopped.signal.aborted) cancelTimer = clock.after(limits.canaryEveryMs, begin);
      });
  }

  begin();
  return {
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
