import assert from 'node:assert/strict';
import fc from 'fast-check';
import { randomProbeNames } from '../../src/probing/made-up-recipients.ts';
import { parseAddress } from '../../src/syntax/parse-address.ts';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/**
 * Local parts of every shape, sent through the whole engine to a host that writes down every line. The parser
 * refuses a text, or the host sees it to the letter, in one RCPT and with no command beside the expected ones.
 */
const randomProbeKey = 'the secret of an installation';
const sideBySide = 32;
const batchSize = 2_000;

const delicate = fc.constantFrom(
  '\r',
  '\n',
  '\0',
  '>',
  '<',
  '"',
  '\\',
  ' ',
  '\t',
  '@',
  ',',
  ';',
  ':',
  '.',
  '\u202e',
  'ü',
  '漢',
  '😀',
  '\x7f',
  '\x80',
  '%',
  '+',
);
const plain = fc.string({ minLength: 1, maxLength: 20 });
const spiced = fc
  .array(fc.oneof(delicate, plain), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));
const quoted = spiced.map((text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
const smuggled = fc
  .constantFrom('a>\r\nDATA\r\n', 'a\r\nRSET', 'a> NOTIFY=SUCCESS', '"a>\r\nVRFY b"', 'a\nQUIT')
  .map(String);
const localParts = fc.oneof(plain, spiced, quoted, smuggled);

type Seen = { sent: number; refused: number };

export async function fuzzLocalPartsOnTheWire({ runs, seed }: { runs: number; seed: number }): Promise<Seen> {
  const running = await startEngine(oneHost('plain.test', { temper: { catchAll: true, smtputf8: true } }), {
    randomProbeKey,
  });
  const seen = { sent: 0, refused: 0 };
  try {
    for (let done = 0; done < runs; done += batchSize) {
      const texts = fc.sample(localParts, { numRuns: Math.min(batchSize, runs - done), seed: seed + done });
      const sent = await sendAll(texts, running);
      checkArrivals(sent, running);
      seen.sent += sent.length;
      seen.refused += texts.length - sent.length;
    }
  } finally {
    await running.stop();
  }
  return seen;
}

/** Quotes around a local part that is valid without them make no other mailbox. */
function withoutNeedlessQuotes(text: string): string {
  const inside = /^"(?<inside>[^"\\]+)"$/.exec(text)?.groups?.['inside'];
  if (inside === undefined) return text;
  return parseAddress(`${inside}@plain.test`).kind === 'valid' ? inside : text;
}

/** Verifies each; returns the RCPT lines that the host must have seen. */
async function sendAll(texts: string[], running: EngineInWorld): Promise<string[]> {
  running.world.reset();
  const sent: string[] = [];
  const queue = texts.values();
  const work = async (): Promise<void> => {
    for (const text of queue) {
      const email = `${text}@plain.test`;
      const isAddress = parseAddress(email).kind === 'valid';
      const outcome = await running.verify(email);
      assert.equal(outcome.kind, isAddress ? 'verdict' : 'invalid_address');
      if (isAddress) sent.push(`C: RCPT TO:<${withoutNeedlessQuotes(text)}@plain.test>`);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
  return sent;
}

function checkArrivals(sent: string[], { world }: EngineInWorld): void {
  const recipients = world.conversations.flatMap(({ lines }) =>
    lines.filter((line) => line.startsWith('C: RCPT')),
  );
  const madeUp = `C: RCPT TO:<${randomProbeNames(randomProbeKey)('plain.test')}@plain.test>`;
  const arrived = recipients.filter((line) => line !== madeUp);
  // The same mailbox, asked for twice at once, is named once.
  assert.deepEqual([...new Set(arrived)].sort(), [...new Set(sent)].sort());
  assert.ok(arrived.length <= sent.length, `${arrived.length} of ${sent.length}`);
  assert.deepEqual(world.violations, []);
}
