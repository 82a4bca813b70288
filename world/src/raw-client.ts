/** A bare SMTP and DNS client for the world's own tests: it sends what it is told, right or wrong. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { decode, encode, streamDecode, streamEncode } from 'dns-packet';
import type { DecodedPacket, Packet, RecordType } from 'dns-packet';
import type { Duplex } from 'node:stream';

export type RawClient = {
  socket: Socket;
  send(text: string): void;
  /** Resolves with everything received once it holds `count` whole replies since the last call. */
  replies(count: number): Promise<string[]>;
  /** Resolves with what was received once the other side has closed or reset. */
  closed(): Promise<string>;
};

const finalLine = /^\d{3}(?: .*)?$/;

export async function rawClient(port: number, host: string): Promise<RawClient> {
  const socket = connect({ port, host, noDelay: true });
  await once(socket, 'connect');
  return clientOver(socket, socket);
}

export function clientOver(stream: Duplex, socket: Socket): RawClient {
  let received = '';
  let wake: () => void = () => undefined;
  let over = false;
  stream.on('data', (chunk: Buffer) => {
    received += chunk.toString();
    wake();
  });
  stream.on('error', () => undefined);
  stream.on('close', () => {
    over = true;
    wake();
  });
  const until = async (ready: () => boolean) => {
    while (!ready()) {
      if (over) throw new Error(`closed after ${JSON.stringify(received)}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return {
    socket,
    send: (text) => stream.write(text),
    async replies(count) {
      await until(() => wholeReplies(received).length >= count);
      const found = wholeReplies(received);
      received = '';
      return found;
    },
    async closed() {
      while (!over) await new Promise<void>((resolve) => (wake = resolve));
      return received;
    },
  };
}

function wholeReplies(text: string): string[] {
  const replies: string[] = [];
  let lines: string[] = [];
  for (const line of text.split('\r\n').slice(0, -1)) {
    lines.push(line);
    if (!finalLine.test(line)) continue;
    replies.push(lines.join('\n'));
    lines = [];
  }
  return replies;
}

function query(name: string, type: RecordType, udpPayloadSize?: number): Packet {
  const packet: Packet = { type: 'query', id: 4_711, flags: 256, questions: [{ name, type }] };
  if (udpPayloadSize === undefined) return packet;
  return {
    ...packet,
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  };
}

export type Question = { name: string; type: RecordType; udpPayloadSize?: number };

/** Sends all questions at once over UDP and returns the messages that come back, in order of arrival. */
export async function askUdp(
  server: string,
  questions: Question[],
  expected = questions.length,
): Promise<Buffer[]> {
  const socket = createSocket('udp4');
  const messages: Buffer[] = [];
  const port = Number(server.split(':')[1]);
  for (const asked of questions) {
    socket.send(encode(query(asked.name, asked.type, asked.udpPayloadSize)), port, '127.0.0.1');
  }
  while (messages.length < expected) {
    const [message] = (await once(socket, 'message')) as [Buffer];
    messages.push(message);
  }
  socket.close();
  return messages;
}

export async function ask(server: string, name: string, type: RecordType): Promise<DecodedPacket> {
  const [message] = await askUdp(server, [{ name, type }]);
  return decode(message ?? Buffer.alloc(0));
}

/** The answer over TCP, or `closed` where the server hangs up without one. */
export async function askTcp(server: string, name: string, type: RecordType): Promise<Packet | 'closed'> {
  const socket = connect(Number(server.split(':')[1]), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.write(streamEncode(query(name, type)));
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer);
    const all = Buffer.concat(chunks);
    if (all.length >= 2 && all.length >= 2 + all.readUInt16BE(0)) {
      socket.destroy();
      return streamDecode(all);
    }
  }
  return 'closed';
}
