import type { MailTarget } from '../dns/mail-route.ts';
import type { Patience } from '../patience.ts';
import type { RouteSetting } from '../politeness/policy.ts';
import {
  connectSocket,
  createGuardedDialer,
  type DialerParts,
  type DialOutcome,
  type DialCounts,
  type Way,
} from '../egress/create-dialer.ts';
import { connectThroughSocks5, isLoginCarried, type Proxied, type RouteDown } from './socks5.ts';

/**
 * Dials mail hosts through one route: as the system chooses, from one of this machine's addresses, or through a
 * SOCKS5 proxy. The guard judges the mail host's address first in each case.
 *
 * A failure on our side of the route (a proxy that is gone, a local address that is not this machine's) is
 * `route_down`. It says nothing about the mail host, and nothing may be held against the host.
 */
export type RouteDialer = {
  dial(target: MailTarget, patience: Patience): Promise<RouteDialOutcome>;
  readonly counts: Readonly<DialCounts>;
};

export type RouteDialOutcome = DialOutcome | RouteDown;

export function createRouteDialer(setting: RouteSetting, parts: DialerParts): RouteDialer {
  return createGuardedDialer<Exclude<Proxied, { kind: 'connected' }>>(parts, wayOf(setting, parts));
}

/** As many bytes as a conversation reads at once: replies are short. */
const readBytes = 16_384;

function wayOf(
  setting: RouteSetting,
  { port, clock }: DialerParts,
): Way<Exclude<Proxied, { kind: 'connected' }>> {
  switch (setting.kind) {
    case 'direct': {
      const { localAddress } = setting;
      const readInto = Buffer.alloc(readBytes);
      if (localAddress === undefined) {
        return {
          otherEnd: 'mail_host',
          connect: (address, patience) => connectSocket({ address, port, readInto, clock, patience }),
        };
      }
      return {
        otherEnd: 'mail_host',
        connect: (address, patience) =>
          connectSocket({ address, port, localAddress, readInto, clock, patience }).catch(readBindFailure),
      };
    }
    case 'socks5': {
      const { socks5 } = setting;
      if (socks5.login !== undefined && !isLoginCarried(socks5.login)) {
        throw new Error(
          `route ${setting.id}: user name and password must have 1 to 255 bytes each (RFC 1929)`,
        );
      }
      return {
        otherEnd: 'proxy',
        connect: (address, patience) => connectThroughSocks5({ address, port }, socks5, { clock, patience }),
      };
    }
  }
}

/** Reads a failed `bind`: the local address is not (or no longer) this machine's. */
function readBindFailure(error: NodeJS.ErrnoException & { address?: string }): RouteDown {
  if (error.syscall !== 'bind') throw error;
  const problem = `connections cannot leave from ${error.address ?? 'the local address'} (${error.code ?? ''})`;
  return { kind: 'failed', why: 'route_down', problem };
}
