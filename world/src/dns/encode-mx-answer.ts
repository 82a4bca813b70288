/**
 * MX answers with compressed names (RFC 1035 section 4.1.4), as real servers send them. The library
 * writes every name in full, and then 2,000 mail hosts do not fit the 64 KB of a DNS message.
 */
export type MxData = { preference: number; exchange: string; ttl: number };

/** The question's name stands right after the header, at offset 12, in every message with one question. */
const pointerToQuestion = Buffer.from([0xc0, 0x0c]);
const countOfAnswers = 6;

/** `bare` is the message with its question and without answers. */
export function encodeMxAnswer(bare: Buffer, questionName: string, records: MxData[]): Buffer {
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

/** A name below the question's ends in a pointer to it; any other is written out. */
function encodeName(name: string, questionName: string): Buffer {
  const suffix = `.${questionName}`;
  const below = name.endsWith(suffix);
  const written = below ? name.slice(0, -suffix.length) : name;
  const labels = written.split('.').filter((label) => label !== '');
  const bytes = labels.flatMap((label) => [Buffer.from([Buffer.byteLength(label)]), Buffer.from(label)]);
  return Buffer.concat([...bytes, below ? pointerToQuestion : Buffer.from([0])]);
}
