import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig, type Config } from '@mailproof/service/config';
import { defineCommand, exitCodes, type ExitCode, type Surroundings } from '../command.ts';
import { presentFindings, withDoctorParts } from '../doctor/doctor-parts.ts';
import { readLines } from '../input/read-lines.ts';
import { programName } from '../program.ts';
import { questions, type Question } from './questions.ts';

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

/** The values that were agreed on, by setting; one without a value is not set. */
type Answers =
  | { kind: 'answered'; settings: Record<string, string> }
  /** The input ended, or nothing that was said made sense. */
  | { kind: 'given_up' }
  /** A setting that is not asked for keeps all others from being read. */
  | { kind: 'bad_setting'; problem: string };

type AskParts = Surroundings & {
  /** The settings in force: the environment over the file. */
  inForce: Record<string, string | undefined>;
  /** The next line that a person typed; nothing at the end of the input. */
  nextAnswer: () => Promise<string | undefined>;
};

/** More answers than a person types. Input that repeats itself comes to an end. */
const triesMax = 20;
const questionMs = 6_000;

async function askQuestions(questions: readonly Question[], parts: AskParts): Promise<Answers> {
  const env = { ...parts.inForce };
  const settings: Record<string, string> = {};
  for (const question of questions) {
    const answer = await askOne(question, { ...parts, inForce: env });
    if (answer.kind !== 'agreed') return answer;
    env[question.setting] = answer.value;
    if (answer.value !== undefined) settings[question.setting] = answer.value;
  }
  return { kind: 'answered', settings };
}

type OneAnswer = { kind: 'agreed'; value: string | undefined } | Exclude<Answers, { kind: 'answered' }>;

/** Asks until the answer can be read, and the doctor has nothing against it or is overruled. */
async function askOne(question: Question, parts: AskParts): Promise<OneAnswer> {
  const { terminal, inForce, nextAnswer } = parts;
  for (let tries = 0; tries < triesMax; tries += 1) {
    terminal.tell(`${question.text}\n[${shownValue(question, inForce)}]`);
    const typed = (await nextAnswer())?.trim();
    if (typed === undefined) return { kind: 'given_up' };
    const value = valueOf(question, typed, inForce);
    const read = readConfig({ ...inForce, [question.setting]: value });
    if (read.kind === 'bad' && !read.problem.startsWith(question.setting))
      return { kind: 'bad_setting', problem: read.problem };
    if (read.kind === 'bad') terminal.tell(read.problem);
    else if (await isAgreed(question, read.config, parts)) return { kind: 'agreed', value };
  }
  return { kind: 'given_up' };
}

function valueOf(
  { setting, without, meaning = (answer) => answer }: Question,
  typed: string,
  inForce: AskParts['inForce'],
): string | undefined {
  if (typed === '') return inForce[setting];
  return typed === without ? undefined : meaning(typed);
}

/** Hides a secret. If nothing is set, the default is shown. */
function shownValue({ setting, without }: Question, inForce: AskParts['inForce']): string {
  const value = inForce[setting];
  if (value !== undefined) return setting.endsWith('_TOKEN') || setting.endsWith('_URL') ? 'as it is' : value;
  const read = readConfig(inForce);
  if (without !== undefined || read.kind === 'bad') return without ?? '';
  const defaults: Record<string, string> = {
    MAILPROOF_HELO_NAME: read.config.heloName,
    MAILPROOF_MAIL_FROM: read.config.mailFrom,
    MAILPROOF_DATA_DIR: read.config.dataDir,
  };
  return defaults[setting] ?? '';
}

async function isAgreed(question: Question, config: Config, parts: AskParts): Promise<boolean> {
  const { terminal, signal, nextAnswer } = parts;
  const findings = await withDoctorParts({ config, canaries: [], signal, questionMs }, question.check);
  for (const line of presentFindings(findings, terminal)) terminal.tell(line);
  if (!findings.some(({ state }) => state === 'problem')) return true;
  terminal.tell('Keep it all the same? Type y or n, then press Enter.');
  return /^\s*y(?:es)?\s*$/i.test((await nextAnswer()) ?? '');
}

/** Settings by their names. */
type FileSettings = Readonly<Record<string, string>>;

const settingLine = /^\s*(?<name>MAILPROOF_\w+)\s*=/;

/** Nothing for a file that does not exist yet. */
function readSettingsText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** As the service reads them: the last sign of a pair of quotes is not part of the value. */
function settingsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => settingLine.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^\s*(\w+)\s*=(.*)$/.exec(line) ?? [];
      return [name, value.trim().replace(/^(?<quote>["'])(?<inner>.*)\k<quote>$/, '$<inner>')];
    }),
  );
}

/**
 * The text with the settings in place of the lines that set them, the rest of it as it is, comments too. `asked` are all
 * names that were asked for: one without a value is not set any more.
 */
function withSettings(text: string, asked: readonly string[], settings: FileSettings): string {
  const kept = text
    .split('\n')
    .filter((line) => !asked.includes(settingLine.exec(line)?.groups?.['name'] ?? ''))
    .join('\n')
    .replace(/\n+$/, '');
  const lines = asked.flatMap((name) => (settings[name] === undefined ? [] : [`${name}=${settings[name]}`]));
  return `${[...(kept === '' ? [heading] : [kept]), ...lines].join('\n')}\n`;
}

const heading = '# Settings of Mailproof; `mailproof config` lists all of them.';

/** Readable for its owner alone from the beginning, since it may hold secrets; in place as a whole or not at all. */
function writeSettingsFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
