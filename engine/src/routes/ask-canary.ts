import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { Connection } from '../smtp/connection.ts';
import type { RouteDialOutcome } from './create-route-dialer.ts';
import type { DialNews } from './watch-mail-port.ts';

/**
 * One visit to a canary: connect, wait for the banner, QUIT. Any reply for a banner shows that a mail host was
 * reached; a connection without one shows only that somebody took it, which a box on the way may do as well.
 *
 * `undefined` is no news: the visit failed for a reason that is not the port.
 */
export type CanaryParts = {
  clock: Clock;
  limits: Limits;
  dial(target: MailTarget, patience: Patience): Promise<RouteDialOutcome>;
};

export async function askCanary(
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
