import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  canonicalHost,
  createDialer,
  judgeAddress,
  type CanonicalHost,
  type Cidr,
  type Clock,
  type Lookup,
  type Patience,
} from '@mailproof/engine';

/**
 * Opens a connection to the host of a URL: looks the name up, dials one of its addresses through the egress guard, and
 * speaks TLS. Whoever owns the name chooses where it points, and may choose anew at every look-up: so the address is
 * judged right before it is dialled and again on the connected socket, as for mail hosts, and nothing on the way looks
 * the name up once more. Without TLS only an address in a block that the operator opened is dialled.
 */
export type OutgoingParts = {
  /** Asked anew at every connection. */
  resolver: {
    ipv4: (name: CanonicalHost, patience: Patience) => Promise<Lookup<string>>;
    ipv6: (name: CanonicalHost, patience: Patience) => Promise<Lookup<string>>;
  };
  clock: Clock;
  egressAllow: readonly Cidr[];
  ownAddresses: () => readonly string[];
  /** Whom to trust beside the authorities that the system trusts. */
  ca?: string;
};

type OpenedConnection = { kind: 'connected'; socket: Socket };

export type ConnectionFailure = {
  kind: 'failed';
  why:
    | 'name_not_found'
    | 'dns_failed'
    | 'forbidden_address'
    | 'https_required'
    | 'connection_failed'
    | 'tls_failed'
    | 'timeout';
};

type Asking = { parts: OutgoingParts; patience: Patience };

/** Of the addresses of a host only so many are tried. */
export const addressesTried = 4;

export async function openConnection(
  url: URL,
  parts: OutgoingParts,
  patience: Patience,
): Promise<OpenedConnection | ConnectionFailure> {
  const asking = { parts, patience };
  const found = await findAddresses(url, asking);
  if (found.kind === 'failed') return found;
  const dialled = await dial(url, found.addresses, asking);
  if (dialled.kind === 'failed' || url.protocol !== 'https:') return dialled;
  const secured = await secure(dialled.socket, url, asking).catch((error: unknown) => {
    dialled.socket.destroy();
    throw error;
  });
  if (secured.kind === 'failed') dialled.socket.destroy();
  return secured;
}

const failed = (why: ConnectionFailure['why']): ConnectionFailure => ({ kind: 'failed', why });

type Found = { kind: 'found'; addresses: string[] } | ConnectionFailure;

async function findAddresses(url: URL, { parts: { resolver }, patience }: Asking): Promise<Found> {
  const literal = literalOf(url);
  if (literal !== undefined) return { kind: 'found', addresses: [literal] };
  const host = canonicalHost(url.hostname);
  if (host === undefined) return failed('name_not_found');
  const lookups = await Promise.all([resolver.ipv4(host, patience), resolver.ipv6(host, patience)]);
  const addresses = lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []));
  if (addresses.length > 0) return { kind: 'found', addresses };
  return failed(lookups.some(({ kind }) => kind === 'failed') ? 'dns_failed' : 'name_not_found');
}

/** The IP address that stands in the URL itself. */
function literalOf({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? undefined : address;
}

/** The first of the addresses that can be reached; what happened to the last one where none can. */
async function dial(
  url: URL,
  addresses: readonly string[],
  { parts, patience }: Asking,
): Promise<OpenedConnection | ConnectionFailure> {
  const { clock, egressAllow: allow, ownAddresses } = parts;
  const limits = { connectMs: patience.deadline - clock.now() };
  const dialer = createDialer({ port: portOf(url), clock, limits, allow, ownAddresses });
  const host = url.hostname as CanonicalHost;
  let last = failed('connection_failed');
  for (const address of addresses.slice(0, addressesTried)) {
    const judged = judgeAddress(address, { allow, ownAddresses: ownAddresses() });
    if (url.protocol === 'http:' && judged.kind === 'public') {
      last = failed('https_required');
      continue;
    }
    const outcome = await dialer.dial({ host, address }, patience);
    if (outcome.kind === 'connected') return outcome;
    if (outcome.why === 'timeout') return failed('timeout');
    last = failed(outcome.why === 'forbidden' ? 'forbidden_address' : 'connection_failed');
  }
  return last;
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

export type Waiting = { clock: Clock; patience: Patience };

/**
 * Waits for one outcome until the deadline. Whatever `begin` opens it settles at most once; an abort rejects with its
 * reason.
 */
export function within<Outcome>(
  { clock, patience: { deadline, signal } }: Waiting,
  { begin, onTimeout }: { begin: (settle: (outcome: Outcome) => void) => void; onTimeout: () => Outcome },
): Promise<Outcome> {
  return new Promise<Outcome>((resolve, reject) => {
    const cancel = clock.after(deadline - clock.now(), () => settle(onTimeout()));
    const onAbort = () => {
      cancel();
      // The reason of an abort is whatever its owner gave; callers expect exactly that.
      reject(signal.reason as Error);
    };
    function settle(outcome: Outcome): void {
      cancel();
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    }
    if (signal.aborted) onAbort();
    else {
      signal.addEventListener('abort', onAbort, { once: true });
      begin(settle);
    }
  });
}

/** The certificate is checked against the name in the URL, whichever address was dialled. */
function secure(
  socket: Socket,
  url: URL,
  { parts, patience }: Asking,
): Promise<OpenedConnection | ConnectionFailure> {
  const literal = literalOf(url);
  const tls = connectTls({
    socket,
    ...(literal === undefined ? { servername: url.hostname } : { host: literal }),
    ALPNProtocols: ['http/1.1'],
    ...(parts.ca === undefined ? {} : { ca: parts.ca }),
  });
  tls.once('close', () => socket.destroy());
  return within<OpenedConnection | ConnectionFailure>(
    { clock: parts.clock, patience },
    {
      begin: (settle) => {
        tls.once('secureConnect', () => settle({ kind: 'connected', socket: tls }));
        tls.on('error', () => settle(failed('tls_failed')));
        tls.once('close', () => settle(failed('tls_failed')));
      },
      onTimeout: () => failed('timeout'),
    },
  );
}
