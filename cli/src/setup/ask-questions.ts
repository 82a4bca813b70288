import { readConfig, type Config } from '@mailproof/service/config';
import type { Surroundings } from '../command.ts';
import { presentFindings } from '../doctor/present-findings.ts';
import { withDoctorParts } from '../doctor/with-doctor-parts.ts';
import type { Question } from './questions.ts';

/** The values that were agreed on, by setting; one without a value is not set. */
type Answers =
  | { kind: 'answered'; settings: Record<string, string> }
  /** The input ended, or nothing that was said made sense. */
  | { kind: 'given_up' }
  /** A setting that is not asked for keeps all others from being read. */
  | { kind: 'bad_setting'; problem: string };

type AskParts = Surroundings & {
  /** What is in force now: the environment over the file. */
  inForce: Record<string, string | undefined>;
  /** The next line that a person typed; nothing at the end of the input. */
  nextAnswer: () => Promise<string | undefined>;
};

/** Nobody types so many; what answers by itself does not go on for ever. */
const triesMax = 20;
const questionMs = 6_000;

export async function askQuestions(questions: readonly Question[], parts: AskParts): Promise<Answers> {
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

/** A secret is not put on the screen; where nothing is set, the default is shown. */
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
