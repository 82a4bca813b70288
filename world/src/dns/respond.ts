/**
 * Turns a query from the wire into the messages that go back: the true answer, or the spoilt one of the zone's
 * behaviour. Knows nothing of sockets.
 */
import {
  type Answer,
  decode,
  type DecodedPacket,
  encode,
  type Packet,
  type RecordType,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import type { Zone, ZoneBehaviour, ZoneBook } from './zones.ts';

type Asked = { id: number; name: string; type: RecordType; udpLimit: number };

/** Messages in the order of sending, and their delay. */
type Response = { messages: Buffer[]; delayMs: number };

export type Responder = {
  book: ZoneBook;
  turnOf: TurnOf;
  /** Returns true the first time a question is asked; for `drops_first`. */
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
  // No zone of a sound world is that large, and a resolver could not pass it on.
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

/** Returns the records of an answer that holds only MX records of the queried name. */
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

/** Returns an attacker's answer: it leads to an address that no host of the world has. */
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

type DnsAnswer = { rcode: Rcode; answers: Answer[]; authorities: Answer[] };

/** RFC 1035 section 4.1.1. */
const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
type Rcode = keyof typeof rcodes;

/** A resolver gives up on longer chains, and so on loops. */
const longestAliasChain = 16;

/** Counts the A queries of a name, for zones that answer in turn. */
type TurnOf = (name: string) => number;

/**
 * Answers from the zones of the world as a well-behaved recursive resolver does: records after their chain of aliases,
 * or a negative answer with its SOA (RFC 2308).
 */
function answerQuestion(book: ZoneBook, question: { name: string; type: string }, turnOf: TurnOf): DnsAnswer {
  const chain: Answer[] = [];
  let name = question.name.toLowerCase();
  for (let hops = 0; hops < longestAliasChain; hops += 1) {
    const zone = book.find(name);
    if (zone === undefined) {
      return negative(book.exists(name) ? 'NOERROR' : 'NXDOMAIN', { name, chain, zone: {} });
    }
    if (zone.cname === undefined || question.type === 'CNAME') {
      const records = recordsOf(zone, { name, type: question.type }, turnOf);
      if (records.length === 0) return negative('NOERROR', { name, chain, zone });
      return { rcode: 'NOERROR', answers: [...chain, ...records], authorities: [] };
    }
    chain.push({ type: 'CNAME', name, ttl: ttlOf(zone), data: zone.cname });
    name = zone.cname.toLowerCase();
  }
  return { rcode: 'SERVFAIL', answers: [], authorities: [] };
}

function recordsOf(zone: Zone, asked: { name: string; type: string }, turnOf: TurnOf): Answer[] {
  const { name, type } = asked;
  const ttl = ttlOf(zone);
  switch (type) {
    case 'MX':
      return (zone.mx ?? []).map(([preference, exchange]) => ({
        type,
        name,
        ttl,
        data: { preference, exchange },
      }));
    case 'A':
      return addressesInTurn(zone, name, turnOf).map((data) => ({ type, name, ttl, data }));
    case 'AAAA':
      return (zone.aaaa ?? []).map((data) => ({ type, name, ttl, data }));
    case 'TXT':
      return (zone.txt ?? []).map((data) => ({ type, name, ttl, data }));
    case 'PTR':
      return (zone.ptr ?? []).map((data) => ({ type, name, ttl, data }));
    case 'CNAME':
      return zone.cname === undefined ? [] : [{ type, name, ttl, data: zone.cname }];
  }
  return [];
}

function addressesInTurn(zone: Zone, name: string, turnOf: TurnOf): string[] {
  const sets = zone.aInTurn;
  if (sets === undefined || sets.length === 0) return zone.a ?? [];
  return sets[turnOf(name) % sets.length] ?? [];
}

function negative(rcode: Rcode, found: { name: string; chain: Answer[]; zone: Zone }): DnsAnswer {
  const minimum = found.zone.soaMinimum ?? 60;
  const parent = found.name.slice(found.name.indexOf('.') + 1);
  const soa: Answer = {
    type: 'SOA',
    name: parent,
    ttl: minimum,
    data: {
      mname: 'ns.world.test',
      rname: 'hostmaster.world.test',
      serial: 1,
      refresh: 3600,
      retry: 600,
      expire: 86_400,
      minimum,
    },
  };
  return { rcode, answers: found.chain, authorities: [soa] };
}

function ttlOf(zone: Zone): number {
  return zone.ttl ?? 300;
}

/**
 * MX answers with compressed names (RFC 1035 section 4.1.4), as real servers send them. The library
 * writes every name in full, and then 2,000 mail hosts do not fit the 64 KB of a DNS message.
 */
type MxData = { preference: number; exchange: string; ttl: number };

/** The question's name stands right after the header, at offset 12, in every message with one question. */
const pointerToQuestion = Buffer.from([0xc0, 0x0c]);
const countOfAnswers = 6;

/** Appends the records to `bare`, the message with its question and no answers. */
function encodeMxAnswer(bare: Buffer, questionName: string, records: MxData[]): Buffer {
  const message = Buffer.concat([bare, ...records.map((record) => encodeRecord(record, questionName))]);
  message.writeUInt16BE(records.length, countOfAnswers);
  return message;
}

function encodeRecord({ preference, exchange, ttl }: MxData, questionName: string): Buffer {
  const name = encodeName(exchange, questionName);
  const fixed = Buffer.alloc(12);
  fixed.writeUInt16BE(15, 0); // type MX
  fixed.writeUInt16BE(1, 2); // class IN
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(2 + name.length, 8);
  fixed.writeUInt16BE(preference, 10);
  return Buffer.concat([pointerToQuestion, fixed, name]);
}

/** Encodes a name: below the question's name it ends in a pointer to that, otherwise it is written out. */
function encodeName(name: string, questionName: string): Buffer {
  const suffix = `.${questionName}`;
  const below = name.endsWith(suffix);
  const written = below ? name.slice(0, -suffix.length) : name;
  const labels = written.split('.').filter((label) => label !== '');
  const bytes = labels.flatMap((label) => [Buffer.from([Buffer.byteLength(label)]), Buffer.from(label)]);
  return Buffer.concat([...bytes, below ? pointerToQuestion : Buffer.from([0])]);
}
