import { request as openRequest, type IncomingMessage } from 'node:http';
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
import type { WebhookAttemptOutcome } from '@mailproof/client';
import { portOf } from './read-endpoint-url.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * One attempt to deliver a message: look the name up, dial one of its addresses through the egress guard, speak TLS, post,
 * and read how the answer begins. Whoever owns the name chooses where it points, and may choose anew at every look-up:
 * so the address is judged right before it is dialled and again on the connected socket, as for mail hosts, and nothing
 * on the way looks the name up once more. A redirect is an answer like any other and leads nowhere.
 */
export type SendOutcome =
  | { kind: 'answered'; status: number; retryAfterMs: number; response: string }
  | { kind: 'failed'; why: Exclude<WebhookAttemptOutcome, 'delivered' | 'answered'> };

export type SendRequest = (message: OutgoingMessage, signal: AbortSignal) => Promise<SendOutcome>;

type OutgoingMessage = { url: string; headers: Record<string, string>; body: string };

export type SendRequestParts = {
  /** Asked anew at every attempt. */
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

type Failed = SendOutcome & { kind: 'failed' };

const failed = (why: Failed['why']): Failed => ({ kind: 'failed', why });

export function createSendRequest(parts: SendRequestParts): SendRequest {
  return async (message, signal) => {
    const url = new URL(message.url);
    const patience = { deadline: parts.clock.now() + webhookLimits.attemptMs, signal };
    const found = await findAddresses(url, parts, patience);
    if (found.kind === 'failed') return found;
    const dialled = await dial({ url, addresses: found.addresses }, parts, patience);
    if (dialled.kind === 'failed') return dialled;
    const { socket } = dialled;
    try {
      const secured = url.protocol === 'https:' ? await secure(socket, url, { parts, patience }) : dialled;
      if (secured.kind === 'failed') return secured;
      return await post(secured.socket, { url, message }, { clock: parts.clock, patience });
    } finally {
      socket.destroy();
    }
  };
}

type Found = { kind: 'found'; addresses: string[] } | Failed;

async function findAddresses(url: URL, { resolver }: SendRequestParts, patience: Patience): Promise<Found> {
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

type Connected = { kind: 'connected'; socket: Socket };

/** The first of the addresses that can be reached; what happened to the last one where none can. */
async function dial(
  { url, addresses }: { url: URL; addresses: string[] },
  { clock, egressAllow: allow, ownAddresses }: SendRequestParts,
  patience: Patience,
): Promise<Connected | Failed> {
  const limits = { connectMs: webhookLimits.attemptMs };
  const dialer = createDialer({ port: portOf(url), clock, limits, allow, ownAddresses });
  const host = url.hostname as CanonicalHost;
  let last = failed('connection_failed');
  for (const address of addresses.slice(0, webhookLimits.addressesTried)) {
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

type Waiting = { clock: Clock; patience: Patience };

/**
 * Waits for one outcome until the deadline. Whatever `begin` opens it settles at most once; an abort rejects with its
 * reason.
 */
function within<Outcome>(
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
  { parts, patience }: { parts: SendRequestParts; patience: Patience },
): Promise<Connected | Failed> {
  const literal = literalOf(url);
  const tls = connectTls({
    socket,
    ...(literal === undefined ? { servername: url.hostname } : { host: literal }),
    ALPNProtocols: ['http/1.1'],
    ...(parts.ca === undefined ? {} : { ca: parts.ca }),
  });
  return within<Connected | Failed>(
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

/** The status decides, whatever becomes of the rest of the answer; without one, the connection was closed too early. */
function post(
  socket: Socket,
  { url, message }: { url: URL; message: OutgoingMessage },
  waiting: Waiting,
): Promise<SendOutcome> {
  let answer: { head: IncomingMessage; chunks: Buffer[]; bytes: number } | undefined;
  const outcome = (why: Failed['why']): SendOutcome =>
    answer === undefined ? failed(why) : answered(answer);
  return within<SendOutcome>(waiting, {
    begin: (settle) => {
      const sent = openRequest({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.host,
          'user-agent': 'Mailproof-Webhooks/1',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(message.body),
          connection: 'close',
          ...message.headers,
        },
        createConnection: () => socket,
      });
      sent.on('error', () => settle(outcome('closed_early')));
      sent.once('close', () => settle(outcome('closed_early')));
      sent.once('response', (head) => {
        const reading = (answer = { head, chunks: new Array<Buffer>(), bytes: 0 });
        head.on('data', (chunk: Buffer) => {
          reading.chunks.push(chunk);
          reading.bytes += chunk.length;
          if (reading.bytes >= webhookLimits.responseBytes) settle(answered(reading));
        });
        head.on('error', () => settle(answered(reading)));
        head.once('end', () => settle(answered(reading)));
      });
      sent.end(message.body);
    },
    onTimeout: () => outcome('timeout'),
  });
}

function answered({ head, chunks }: { head: IncomingMessage; chunks: Buffer[] }): SendOutcome {
  const bytes = Buffer.concat(chunks).subarray(0, webhookLimits.responseBytes);
  return {
    kind: 'answered',
    status: head.statusCode ?? 0,
    retryAfterMs: readRetryAfter(head.headers['retry-after']),
    // A receiver answers with whatever it likes; a character that cannot be stored or shown is not kept.
    response: bytes.toString('utf8').replace(/[^\P{C}\n\t]/gu, '\u{fffd}'),
  };
}

/** RFC 9110 section 10.2.3; a date is not waited for, and the usual wait is kept. */
function readRetryAfter(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : 0;
}
