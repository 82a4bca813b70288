import { classifyReply, parseAddress, trimAddress } from '@mailproof/engine';
import { defineCommand, exitCodes } from '../command.ts';
import { answerLines, type LineAnswer } from './read-lines.ts';

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
    json: { type: 'flag', meaning: 'accepted; the output is JSON with and without it' },
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
    return await answerLines(options.file ?? '-', answerAddress, surroundings);
  },
});

function answerAddress({ email }: Record<string, unknown>): LineAnswer {
  if (typeof email !== 'string') return { kind: 'bad_line', why: '"email" is missing or not a string' };
  return { kind: 'answer', answer: describeSyntax(email) };
}

function describeSyntax(email: string): object {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return { email, valid: false, reason: parsed.fault };
  return { email, valid: true, username: parsed.address.username, domain: parsed.address.domain };
}

export const classifyCommand = defineCommand({
  name: 'classify',
  takes: '[--file PATH|-]',
  summary: 'explain replies of mail servers',
  options: {
    file: {
      type: 'text',
      placeholder: 'PATH|-',
      meaning: 'read lines from a file; - is standard input (default)',
    },
    json: { type: 'flag', meaning: 'accepted; the output is JSON with and without it' },
  },
  notes: [
    'Each input line is {"code", "enhanced", "text", "provider"?}, and each output line {"label", "reason"}. "enhanced" and "provider" can be null.',
    'Labels: accepted, mailbox_not_exist, mailbox_full, mailbox_disabled, greylisted_or_temporary, blocked_or_policy, other.',
  ],
  examples: [
    `echo '{"code": 550, "text": "User unknown"}' | mailproof classify`,
    'mailproof classify --file replies.jsonl',
  ],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) => answerLines(options.file ?? '-', answerReply, surroundings),
});

function answerReply({ code, enhanced, text, provider }: Record<string, unknown>): LineAnswer {
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 100 || code > 999) {
    return { kind: 'bad_line', why: '"code" is missing or not a three-digit number' };
  }
  if (typeof text !== 'string') return { kind: 'bad_line', why: '"text" is missing or not a string' };
  if (!isOptionalText(enhanced)) return { kind: 'bad_line', why: '"enhanced" is neither a string nor null' };
  if (!isOptionalText(provider)) return { kind: 'bad_line', why: '"provider" is neither a string nor null' };
  const { label, reason } = classifyReply({
    code,
    enhanced: enhanced ?? undefined,
    text,
    provider: provider ?? undefined,
  });
  return { kind: 'answer', answer: { label, reason } };
}

function isOptionalText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}
