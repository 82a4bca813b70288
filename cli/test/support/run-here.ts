/** Runs a command in this very process, for tests of what it says: everything but signals and the real exit. */
import { Readable, Writable } from 'node:stream';
import { run } from '../../src/run.ts';
import type { Ended } from '../../../service/test/support/mailproof.ts';
import { createTerminal } from '../../src/terminal.ts';

type Circumstances = { env?: Record<string, string>; input?: string };

export async function runHere(
  args: readonly string[],
  { env = {}, input = '' }: Circumstances = {},
): Promise<Ended> {
  const output = keep();
  const side = keep();
  const terminal = createTerminal({
    input: Readable.from([Buffer.from(input)]),
    output: output.stream,
    side: side.stream,
  });
  const code = await run(args, { terminal, env, signal: new AbortController().signal });
  return { code, stdout: output.text(), stderr: side.text() };
}

function keep() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
