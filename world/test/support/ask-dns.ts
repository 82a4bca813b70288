/** A bare DNS client for the world's own tests. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { decode, encode, streamDecode, streamEncode } from 'dns-packet';
import type { DecodedPacket, Packet, RecordType } from 'dns-packet';

type Question = { name: string; type: RecordType; udpPayloadSize?: number };

export const queryId = 4_711;

/** Sends all questions at once over UDP and returns the messages that come back, in order of arrival. */
export async function askUdp(
  server: string,
  questions: Question[],
  expected = questions.length,
): Promise<Buffer[]> {
  const socket = createSocket('udp4');
  const messages: Buffer[] = [];
  const enough = new Promise<void>((resolve) =>
    socket.on('message', (message) => {
      messages.push(message);
      if (messages.length === expected) resolve();
    }),
  );
  for (const question of questions) socket.send(encode(queryFor(question)), portOf(server), '127.0.0.1');
  await enough;
  socket.close();
  return messages;
}

export async function ask(server: string, question: Question): Promise<DecodedPacket> {
  const [message] = await askUdp(server, [question]);
  return decode(message ?? Buffer.alloc(0));
}

/** Returns the answer over TCP, or `closed` if the server hangs up without one. */
export async function askTcp(server: string, question: Question): Promise<Packet | 'closed'> {
  const socket = connect(portOf(server), '127.0.0.1');
  let received: Buffer = Buffer.alloc(0);
  const whole = () => received.length >= 2 && received.length >= 2 + received.readUInt16BE(0);
  const done = new Promise<void>((resolve) =>
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (whole()) resolve();
    }),
  );
  socket.write(streamEncode(queryFor(question)));
  await Promise.race([done, once(socket, 'close')]);
  socket.destroy();
  return whole() ? streamDecode(received) : 'closed';
}

function queryFor({ name, type, udpPayloadSize }: Question): Packet {
  const packet: Packet = { type: 'query', id: queryId, flags: 256, questions: [{ name, type }] };
  if (udpPayloadSize === undefined) return packet;
  const edns = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] };
  return { ...packet, additionals: [{ type: 'OPT', name: '.', udpPayloadSize, ...edns }] };
}

function portOf(server: string): number {
  return Number(server.slice(server.indexOf(':') + 1));
}
