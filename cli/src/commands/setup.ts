import { resolve } from 'node:path';
import { readConfig } from '@mailproof/service/config';
import { defineCommand, type Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { readLines } from '../input/read-lines.ts';
import { programName } from '../program.ts';
import { askQuestions } from '../setup/ask-questions.ts';
import { questions } from '../setup/questions.ts';
import { readSettingsText, settingsOf, withSettings, writeSettingsFile } from '../setup/settings-file.ts';

export const setupCommand = defineCommand({
  name: 'setup',
  takes: '[--file PATH]',
  summary: 'ask for what the service needs, check each answer, and write the settings file',
  options: {
    file: {
      type: 'text',
      placeholder: 'PATH',
      meaning: 'the file to write (default: MAILPROOF_CONFIG, or mailproof.conf in the current directory)',
    },
    json: { type: 'flag', meaning: 'one object at the end: {file, settings: [NAME…]}' },
  },
  notes: [
    'Asks for the resolver, the HELO name, the sender, the data directory, the database, the token of the operator, and whether providers that forbid verification are asked. Each answer is checked as mailproof doctor does it. An empty answer keeps what is in brackets. Other lines of an existing file stay as they are.',
    'The file is readable only for you, because it may hold secrets. The service reads it if MAILPROOF_CONFIG names it.',
  ],
  examples: ['mailproof setup', 'mailproof setup --file /etc/mailproof/mailproof.conf'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const { env, terminal } = surroundings;
    const path = resolve(options.file ?? env['MAILPROOF_CONFIG'] ?? 'mailproof.conf');
    const before = readSettingsText(path);
    const asked = questions.map(({ setting }) => setting);
    const inForce = { ...env, ...settingsOf(before), MAILPROOF_CONFIG: undefined };
    const answers = await askQuestions(questions, {
      ...surroundings,
      inForce,
      nextAnswer: answersFrom(surroundings),
    });
    switch (answers.kind) {
      case 'given_up':
        terminal.tell('mailproof: Not everything was answered. Nothing was written.');
        return exitCodes.found;
      case 'bad_setting':
        terminal.tell(`mailproof: ${answers.problem}`);
        return exitCodes.environment;
      case 'answered':
        return await write(
          { path, text: withSettings(before, asked, answers.settings) },
          options.json,
          surroundings,
        );
    }
  },
});

/** Lines of the input one by one, however they come. */
function answersFrom({ terminal, signal }: Surroundings): () => Promise<string | undefined> {
  const groups = readLines(terminal.input);
  const waiting: string[] = [];
  return async () => {
    while (waiting.length === 0) {
      const next = await groups.next();
      if (next.done === true || signal.aborted) return undefined;
      waiting.push(...next.value.map((line) => (line.kind === 'line' ? line.text : '')));
    }
    return waiting.shift();
  };
}

type SettingsFile = { path: string; text: string };

async function write(
  { path, text }: SettingsFile,
  json: boolean,
  { terminal }: Surroundings,
): Promise<ExitCode> {
  try {
    writeSettingsFile(path, text);
  } catch (error) {
    terminal.tell(
      `mailproof: Cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
    return exitCodes.environment;
  }
  const read = readConfig({ MAILPROOF_CONFIG: path });
  if (read.kind === 'bad') throw new Error(`the file that was written cannot be read: ${read.problem}`);
  const settings = Object.keys(settingsOf(text));
  const next = `MAILPROOF_CONFIG=${path} ${programName()} serve`;
  await terminal.write(
    json
      ? `${JSON.stringify({ file: path, settings })}\n`
      : `The settings are in ${path}. To start: ${next}\n`,
  );
  return exitCodes.ok;
}
