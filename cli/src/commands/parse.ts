import { parseAddress, trimAddress } from '@mailproof/engine';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { answerLines, type LineAnswer } from '../input/answer-lines.ts';

export const parseCommand = defineCommand({
  name: 'parse',
  takes: '[ADDRESS…] [--file PATH|-]',
  summary: 'check the syntax of addresses alone',
  options: {
    file: {
      type: 'text',
      placeholder: 'PATH|-',
      meaning: 'read lines from a file instead of the standard input (-)',
    },
    json: { type: 'flag', meaning: 'changes nothing: the answer is always JSON' },
  },
  notes: [
    'Reads {"email": …} a line and answers {"email", "valid", "username"?, "domain"?, "reason"?} a line. An email in a line is taken as it is; white space is trimmed off an ADDRESS only.',
  ],
  examples: [
    `mailproof parse ada@example.com`,
    `echo '{"email": "ada@example..com"}' | mailproof parse`,
    'mailproof parse --file addresses.jsonl',
  ],
  words: { least: 0, most: Infinity },
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
  if (typeof email !== 'string') return { kind: 'bad_line', why: '"email" is missing or not a text' };
  return { kind: 'answer', answer: describeSyntax(email) };
}

function describeSyntax(email: string): object {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return { email, valid: false, reason: parsed.fault };
  return { email, valid: true, username: parsed.address.username, domain: parsed.address.domain };
}
