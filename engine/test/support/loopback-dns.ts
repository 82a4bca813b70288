/**
 * Test support: a real DNS server on loopback, UDP and TCP on one port, whose zone is a literal and
 * whose mischief is a function. It records every query it reads.
 */
import { createSocket } from 'node:dgram';
import type { Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { decode, encode, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet';
import type { Answer, DecodedPacket, OptAnswer, Packet } from 'dns-packet';
import type { DnsServer } from '../../src/dns/lookup.ts';

/** The records of a zone under one name. A name that is not in the zone does not exist. */
export type ZoneEntry = {
  mx?: [preference: number, exchange: string][];
  a?: string[];
  aaaa?: string[];
  txt?: string[];
  ptr?: string[];
  cname?: string;
  /** Answered instead of records, to every question or by its type. */
  rcode?: number | { [type in 'MX' | 'A' | 'AAAA']?: number };
  ttl?: number;
};

export type Zone = Record<string, ZoneEntry>;

export type RecordedQuery = {
  name: string;
  type: string;
  over: 'udp' | 'tcp';
  sourcePort: number;
  /** The query carried an OPT record. */
  edns: boolean;
};

/** The server's next answer; mischief may change it, hold it back (`[]`) or send more than one. */
export type Exchange = { query: RecordedQuery; request: Buffer; id: number; reply: Packet };
export type Mischief = (exchange: Exchange) => Buffer[] | Promise<Buffer[]>;

export type LoopbackDns = DnsServer & {
  queries: RecordedQuery[];
  zone: Zone;
  udp: UdpSocket;
  close(): Promise<void>;
};

export const rcodes = { formerr: 1, servfail: 2, nxdomain: 3, notimp: 4, refused: 5, yxdomain: 6 } as const;

const SOA = {
  mname: 'ns.test',
  rname: 'hostmaster.test',
  serial: 1,
  refresh: 1,
  retry: 1,
  expire: 1,
  minimum: 60,
};

type Description = {
  zone: Zone;
  mischief?: Mischief;
  ip?: string;
  /** The negative TTL that the SOA gives; `undefined` leaves the SOA out. */
  negativeTtl?: number | undefined;
};

export async function startLoopbackDns(description: Description): Promise<LoopbackDns> {
  const ip = description.ip ?? '127.0.0.1';
  const { udp, tcp, port } = await bindBoth(ip);
  const queries: RecordedQuery[] = [];
  const server: LoopbackDns = { ip, port, queries, zone: description.zone, udp, close };
  const connections = new Set<Socket>();
  let closing: Promise<unknown> | undefined;

  async function respond(
    request: Buffer,
    from: { over: 'udp' | 'tcp'; sourcePort: number },
  ): Promise<Buffer[]> {
    const packet = decode(request);
    const [question] = packet.questions ?? [];
    if (question === undefined) return [];
    const opt = packet.additionals?.find((record) => record.type === 'OPT');
    const query = { name: question.name, type: question.type, edns: opt !== undefined, ...from };
    queries.push(query);
    const reply = answerFrom(
      server.zone,
      packet,
      'negativeTtl' in description ? description.negativeTtl : 60,
    );
    const exchange = { query, request, id: packet.id ?? 0, reply };
    if (description.mischief !== undefined) return description.mischief(exchange);
    return [from.over === 'tcp' ? encode(reply) : fitted(reply, opt?.udpPayloadSize ?? 512)];
  }

  udp.on('message', (request, { address, port: sourcePort }) => {
    void respond(request, { over: 'udp', sourcePort }).then((replies) => {
      // A slow answer may be ready only after the server is gone.
      if (closing !== undefined) return;
      for (const reply of replies) udp.send(reply, sourcePort, address, () => undefined);
    });
  });
  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      void respond(received.subarray(2), { over: 'tcp', sourcePort: socket.remotePort ?? 0 }).then(
        (replies) => {
          for (const reply of replies) socket.write(withLength(reply));
        },
      );
    });
  });

  async function close(): Promise<void> {
    closing ??= shutDown();
    await closing;
  }

  async function shutDown(): Promise<void> {
    for (const socket of connections) socket.destroy();
    udp.close();
    tcp.close();
    await once(tcp, 'close');
  }
  return server;
}

/** TCP takes any port, UDP the same one; should that be taken by another, we try again. */
async function bindBoth(ip: string): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const tcp = createServer();
    tcp.listen(0, ip);
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket({ type: ip.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 });
    const bound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false));
      udp.bind(port, ip, () => resolve(true));
    });
    if (bound) return { udp, tcp, port };
    tcp.close();
  }
  throw new Error('no port is free for both UDP and TCP');
}

/** The answer an honest recursive resolver would give from this zone, CNAME chain and all. */
function answerFrom(zone: Zone, packet: DecodedPacket, negativeTtl: number | undefined): Packet {
  const [question] = packet.questions ?? [];
  if (question === undefined) throw new Error('a query without a question');
  const answers: Answer[] = [];
  let name = question.name.toLowerCase();
  let entry = zone[name];
  for (let links = 0; entry?.cname !== undefined && question.type !== 'CNAME' && links < 16; links += 1) {
    answers.push({ name, type: 'CNAME', class: 'IN', ttl: entry.ttl ?? 300, data: entry.cname });
    name = entry.cname.toLowerCase();
    entry = zone[name];
  }
  const records = entry === undefined ? [] : recordsOf(name, entry, question.type);
  answers.push(...records);
  const rcode = entry === undefined ? rcodes.nxdomain : rcodeOf(entry, question.type);
  const authorities: Answer[] =
    records.length > 0 || negativeTtl === undefined
      ? []
      : [{ name: 'test', type: 'SOA', class: 'IN', ttl: negativeTtl, data: SOA }];
  return {
    type: 'response',
    id: packet.id,
    flags: RECURSION_AVAILABLE | rcode,
    questions: [question],
    answers: entry === undefined || rcode === 0 ? answers : [],
    authorities,
    additionals: packet.additionals?.some((record) => record.type === 'OPT') === true ? [plainOpt] : [],
  };
}

function rcodeOf({ rcode = 0 }: ZoneEntry, type: string): number {
  if (typeof rcode === 'number') return rcode;
  return type === 'MX' || type === 'A' || type === 'AAAA' ? (rcode[type] ?? 0) : 0;
}

const plainOpt: OptAnswer = {
  name: '.',
  type: 'OPT',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

function recordsOf(name: string, entry: ZoneEntry, type: string): Answer[] {
  const common = { name, class: 'IN', ttl: entry.ttl ?? 300 } as const;
  switch (type) {
    case 'MX':
      return (entry.mx ?? []).map(([preference, exchange]) => ({
        ...common,
        type: 'MX',
        data: { preference, exchange },
      }));
    case 'A':
      return (entry.a ?? []).map((data) => ({ ...common, type: 'A', data }));
    case 'AAAA':
      return (entry.aaaa ?? []).map((data) => ({ ...common, type: 'AAAA', data }));
    case 'TXT':
      return (entry.txt ?? []).map((data) => ({ ...common, type: 'TXT', data: [data] }));
    case 'PTR':
      return (entry.ptr ?? []).map((data) => ({ ...common, type: 'PTR', data }));
  }
  return [];
}

/** Cuts whole records off until the message fits, and says so (RFC 2181 section 9). */
export function fitted(reply: Packet, payloadSize: number): Buffer {
  let answers = reply.answers ?? [];
  let message = encode(reply);
  while (message.length > payloadSize && answers.length > 0) {
    answers = answers.slice(0, Math.floor(answers.length / 2));
    message = encode({ ...reply, answers, flags: (reply.flags ?? 0) | TRUNCATED_RESPONSE });
  }
  return message;
}

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
