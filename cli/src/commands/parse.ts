import { parseAddress, trimAddress } from '@mailproof/engine';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { answerLines, type LineAnswer } from '../input/answer-lines.ts';

export const parseCommand = defineCommand({
  name: 'parse',
  takes: '[ADDRESS…] [--file PATH|-]',
  summary: 'check only the syntax of addresses',
  options: {
    file: {
      type: 'text',
      placeholder: 'PATH|-',
      meaning: 'read lines from a file; - is standard input (default)',
    },
    json: { type: 'flag', meaning: 'no effect: the output is always JSON' },
  },
  notes: [
    'Each input line is {"email": …}, and each output line {"email", "valid", "username"?, "domain"?, "reason"?}. White space is trimmed from an ADDRESS, but not from an "email" in a line.',
  ],
  examples: [
    `mailproof parse ada@example.com`,
    `echo '{"email": "ada@example..com"}' | mailproof parse`,
    'mailproof parse --file addresses.jsonl',
  ],
  words: { required: [], most: Infinity },
  async run({ options, positionals, ...surroundings }) {
    if (positionals.length > 0) {
      const answers = positionals.map((address) => JSON.stringify(describeSyntax(trimAddress(address))));
      await surroundings.terminal.write(`${answers.join('\n')}\n`);
    }
    if (positionals.length > 0 && options.file === undefined) return exitCodes.ok;
    return await answerLines(options.file ?? '-', answerRow, surroundings);
  },
});

function answerRow({ email }: Record<string, unknown>): LineAnswer {
  if (typeof email !== 'string') return { kind: 'bad_line', why: '"email" is missing or not a string' };
  return { kind: 'answer', answer: describeSyntax(email) };
}

function describeSyntax(email: string): object {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return { email, valid: false, reason: parsed.fault };
  return { email, valid: true, username: parsed.address.username, domain: parsed.address.domain };
}
