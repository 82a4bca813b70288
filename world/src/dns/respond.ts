/**
 * From a query as it came off the wire to the messages that go back: the true answer, or whatever
 * the zone's behaviour makes of it. Knows nothing of sockets.
 */
import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet';
import type { DecodedPacket, Packet, RecordType } from 'dns-packet';
import { answerQuestion, rcodes } from './answer-question.ts';
import type { DnsAnswer, Rcode, TurnOf } from './answer-question.ts';
import { encodeMxAnswer } from './encode-mx-answer.ts';
import type { MxData } from './encode-mx-answer.ts';
import type { Zone, ZoneBehaviour } from './zone.ts';
import type { ZoneBook } from './zone-book.ts';

type Asked = { id: number; name: string; type: RecordType; udpLimit: number };

/** Messages in the order in which they go out, and how late. */
type Response = { messages: Buffer[]; delayMs: number };

export type Responder = {
  book: ZoneBook;
  turnOf: TurnOf;
  /** True the first time a question is asked; for `drops_first`. */
  isFirst(question: string): boolean;
};

/** A UDP answer fits 512 bytes unless the client's EDNS option allows more (RFC 6891 section 6.2.3). */
const plainUdpLimit = 512;
/** DNS over TCP counts the bytes of a message in two bytes. */
const longestMessage = 65_535;

export function readQuery(message: Buffer): Asked | undefined {
  let packet: DecodedPacket;
  try {
    packet = decode(message);
  } catch {
    return undefined;
  }
  const question = packet.questions?.[0];
  if (packet.flag_qr || question === undefined) return undefined;
  const opt = packet.additionals?.find((record) => record.type === 'OPT');
  const udpLimit = opt?.type === 'OPT' ? Math.max(plainUdpLimit, opt.udpPayloadSize) : plainUdpLimit;
  return { id: packet.id ?? 0, name: question.name, type: question.type, udpLimit };
}

export function respond(responder: Responder, asked: Asked, transport: 'udp' | 'tcp'): Response {
  const zone = responder.book.find(asked.name.toLowerCase());
  const behaviour = zone && behaviourFor(zone, asked.type);
  if (behaviour !== undefined) return misbehave(responder, { asked, transport, behaviour, zone: zone ?? {} });
  return { messages: [truth(responder, asked, transport)], delayMs: 0 };
}

function behaviourFor(zone: Zone, type: string): ZoneBehaviour | undefined {
  const byType: Partial<Record<string, ZoneBehaviour>> = zone.behaviourOf ?? {};
  return byType[type] ?? zone.behaviour;
}

function truth(responder: Responder, asked: Asked, transport: 'udp' | 'tcp'): Buffer {
  const answer = answerQuestion(responder.book, asked, responder.turnOf);
  const message = encodeAnswer(asked, answer);
  if (transport === 'udp' && message.length > asked.udpLimit) return truncated(asked);
  // No zone of a sound world is that large; a resolver could not pass it on either.
  return message.length > longestMessage ? failure(asked, 'SERVFAIL') : message;
}

type Situation = { asked: Asked; transport: 'udp' | 'tcp'; behaviour: ZoneBehaviour; zone: Zone };

function misbehave(responder: Responder, situation: Situation): Response {
  const { asked, transport, behaviour, zone } = situation;
  const now = (...messages: Buffer[]): Response => ({ messages, delayMs: 0 });
  const forgedId = (asked.id + 1) % 65_536;
  switch (behaviour) {
    case 'servfail':
      return now(failure(asked, 'SERVFAIL'));
    case 'refused':
      return now(failure(asked, 'REFUSED'));
    case 'notimp':
      return now(failure(asked, 'NOTIMP'));
    case 'formerr':
      return now(failure(asked, 'FORMERR'));
    case 'silent':
      return now();
    case 'drops_first':
      return responder.isFirst(`${asked.name} ${asked.type}`)
        ? now()
        : now(truth(responder, asked, transport));
    case 'truncate':
      return now(transport === 'udp' ? truncated(asked) : truth(responder, asked, transport));
    case 'truncate_without_tcp':
      return transport === 'udp' ? now(truncated(asked)) : now();
    case 'wrong_id':
      return now(forgery({ ...asked, id: forgedId }));
    case 'wrong_question':
      return now(forgery({ ...asked, name: `other.${asked.name}` }));
    case 'forged_first':
      return now(forgery({ ...asked, id: forgedId }), truth(responder, asked, transport));
    case 'garbage':
      return now(garbage(asked.id));
    case 'slow':
      return { messages: [truth(responder, asked, transport)], delayMs: zone.slowMs ?? 1_000 };
  }
}

function encodeAnswer(asked: Asked, answer: DnsAnswer): Buffer {
  const packet: Packet = {
    type: 'response',
    id: asked.id,
    flags: RECURSION_DESIRED | RECURSION_AVAILABLE | rcodes[answer.rcode],
    questions: [{ name: asked.name, type: asked.type, class: 'IN' }],
  };
  const mx = mxOnly(answer, asked.name);
  if (mx !== undefined) return encodeMxAnswer(encode(packet), asked.name, mx);
  return encode({ ...packet, answers: answer.answers, authorities: answer.authorities });
}

/** The records of an answer that holds nothing but MX records of the name that was asked for. */
function mxOnly(answer: DnsAnswer, name: string): MxData[] | undefined {
  const records = answer.answers.flatMap((record) =>
    record.type === 'MX' && record.name === name.toLowerCase()
      ? [{ preference: record.data.preference ?? 0, exchange: record.data.exchange, ttl: record.ttl ?? 0 }]
      : [],
  );
  return records.length > 0 && records.length === answer.answers.length ? records : undefined;
}

function failure(asked: Asked, rcode: Rcode): Buffer {
  return encodeAnswer(asked, { rcode, answers: [], authorities: [] });
}

function truncated(asked: Asked): Buffer {
  return encode({
    type: 'response',
    id: asked.id,
    flags: RECURSION_DESIRED | RECURSION_AVAILABLE | TRUNCATED_RESPONSE,
    questions: [{ name: asked.name, type: asked.type, class: 'IN' }],
  });
}

/** An answer an attacker would like to be believed: it leads to an address nobody in the world has. */
function forgery(asked: Asked): Buffer {
  const name = asked.name;
  const answers: DnsAnswer['answers'] =
    asked.type === 'MX'
      ? [{ type: 'MX', name, ttl: 300, data: { preference: 1, exchange: 'forged.attacker.test' } }]
      : [{ type: 'A', name, ttl: 300, data: '127.66.66.66' }];
  return encodeAnswer(asked, { rcode: 'NOERROR', answers, authorities: [] });
}

function garbage(id: number): Buffer {
  const bytes = Buffer.alloc(40, 0xc0);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(0x8180, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt16BE(7, 6);
  return bytes;
}
