import { createEngine, systemClock, type Engine } from '@mailproof/engine';
import type { Config } from '@mailproof/service/config';
import { defineCommand, type Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { openInput } from '../input/open-input.ts';
import { loadConfig } from '../load-config.ts';
import { presentShort, presentStory } from '../present/present-answer.ts';
import { answerAsJson, answerFrom, type Answer } from '../verify/answer.ts';
import { mapInOrder } from '../verify/map-in-order.ts';
import { readAddresses } from '../verify/read-addresses.ts';
import { createTally } from '../verify/tally.ts';

const usualConcurrency = 10;
const mostConcurrency = 500;
/** Results may wait for a slower one before them, so more are begun than run side by side; times this. */
const windowPerSlot = 8;

export const verifyCommand = defineCommand({
  name: 'verify',
  takes: 'ADDRESS… [--file PATH|-] [--explain] [--json] [--concurrency N]',
  summary: 'verify addresses, here and now, without the service',
  options: {
    file: {
      type: 'text',
      placeholder: 'PATH|-',
      meaning: 'read addresses from a file, one a line; - is the standard input',
    },
    explain: {
      type: 'flag',
      meaning: 'with several addresses the whole story of each; with --json an explanation',
    },
    json: { type: 'flag', meaning: 'one verification result a line, as the API gives it' },
    concurrency: {
      type: 'text',
      placeholder: 'N',
      meaning: `how many at once, 1 to ${mostConcurrency} (${usualConcurrency} unless given)`,
    },
  },
  notes: [
    'The answers come in the order of the addresses. Where the API would answer with an error, --json gives {"email", "error"}: invalid_email, verification_unavailable, verification_timeout or verification_failed; then the exit code is 1. A verdict, good or bad, counts as success.',
    'It needs outbound port 25: mailproof doctor tells whether this machine has it.',
  ],
  examples: [
    'mailproof verify ada@example.com',
    'mailproof verify --file addresses.txt --json > results.jsonl',
    'cut -d, -f2 people.csv | mailproof verify --file -',
  ],
  words: { least: 0, most: Infinity },
  async run({ options, positionals, ...surroundings }) {
    const { terminal } = surroundings;
    const atOnce = readConcurrency(options.concurrency);
    if (atOnce === undefined) {
      terminal.tell(`mailproof: --concurrency may be a whole number from 1 to ${mostConcurrency}`);
      return exitCodes.usage;
    }
    if (positionals.length === 0 && options.file === undefined) {
      terminal.tell('mailproof: which address? usage: mailproof verify ADDRESS… [--file PATH|-]');
      return exitCodes.usage;
    }
    const input = options.file === undefined ? undefined : await openInput(options.file, surroundings);
    if (input?.kind === 'cannot_open') {
      terminal.tell(`mailproof: ${input.why}`);
      return exitCodes.usage;
    }
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    const isOne = positionals.length === 1 && input === undefined;
    return await verifyAll({
      addresses: readAddresses(positionals, input?.stream),
      count: input === undefined ? positionals.length : undefined,
      atOnce,
      present: (answer) => {
        if (options.json) return `${answerAsJson(answer, options)}\n`;
        if (isOne) return presentStory(answer, terminal);
        return options.explain ? `${presentStory(answer, terminal)}\n` : presentShort(answer, terminal);
      },
      config,
      surroundings,
    });
  },
});

type Verifying = {
  addresses: AsyncIterable<string>;
  /** How many there are, where that is known beforehand. */
  count: number | undefined;
  atOnce: number;
  present: (answer: Answer) => string;
  config: Config;
  surroundings: Surroundings;
};

async function verifyAll({
  addresses,
  count,
  atOnce,
  present,
  config,
  surroundings,
}: Verifying): Promise<ExitCode> {
  const { terminal, signal } = surroundings;
  const engine = openEngine(config, surroundings);
  if (engine === undefined) return exitCodes.environment;
  const tally = createTally(count, { terminal, now: () => systemClock.now() });
  const verifyOne = (email: string) => answerOne(email, engine, { config, surroundings });
  try {
    for await (const answer of mapInOrder(addresses, verifyOne, { atOnce, window: atOnce * windowPerSlot })) {
      signal.throwIfAborted();
      await terminal.write(present(answer));
      tally.count(answer);
    }
    terminal.progress('');
    if (tally.total() !== 1 && terminal.outputIsTerminal) terminal.tell(tally.summary());
    return tally.errors() === 0 ? exitCodes.ok : exitCodes.found;
  } finally {
    engine.close();
  }
}

async function answerOne(
  email: string,
  engine: Engine,
  { config, surroundings: { signal, terminal } }: { config: Config; surroundings: Surroundings },
): Promise<Answer> {
  try {
    const deadline = systemClock.now() + config.singleTimeoutMs;
    return answerFrom(email, await engine.verify(email, { deadline, signal }));
  } catch (error) {
    signal.throwIfAborted();
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    terminal.tell(`mailproof: a defect of Mailproof: ${what}`);
    return { kind: 'error', email, error: 'verification_failed', explanation: undefined };
  }
}

/** Nothing where one of the operator's list files cannot be used, and that has been told then. */
function openEngine(config: Config, { terminal }: Surroundings): Engine | undefined {
  const { spamtrapsFile, allowFile, denyFile } = config;
  const tell = (message: string) => terminal.tell(`mailproof: ${message}`);
  try {
    return createEngine({
      ...config,
      listFiles: {
        ...(spamtrapsFile === undefined ? {} : { spamtraps: spamtrapsFile }),
        ...(allowFile === undefined ? {} : { allow: allowFile }),
        ...(denyFile === undefined ? {} : { deny: denyFile }),
      },
      onProblem: tell,
    });
  } catch (error) {
    if (spamtrapsFile === undefined && allowFile === undefined && denyFile === undefined) throw error;
    tell(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function readConcurrency(text: string | undefined): number | undefined {
  if (text === undefined) return usualConcurrency;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= mostConcurrency ? count : undefined;
}
