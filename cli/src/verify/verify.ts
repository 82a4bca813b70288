import type { Readable } from 'node:stream';
import { createEngine, trimAddress, type Engine } from '@mailproof/engine';
import type { Config } from '@mailproof/service/config';
import { engineSettings } from '@mailproof/service/engine-settings';
import { defineCommand, exitCodes, type Surroundings } from '../command.ts';
import { openInput, readLines } from '../input/read-lines.ts';
import { loadConfig } from '../config.ts';
import { presentShort, presentEvidence } from './present-answer.ts';
import { answerAsJson, verifyAll } from './verify-all.ts';

const usualConcurrency = 100;
const mostConcurrency = 500;

export const verifyCommand = defineCommand({
  name: 'verify',
  takes: 'ADDRESS… [--file PATH|-] [--explain] [--json] [--concurrency N]',
  summary: 'verify addresses directly, without a service',
  options: {
    file: {
      type: 'text',
      placeholder: 'PATH|-',
      meaning: 'read addresses from a file, one per line; - is standard input',
    },
    explain: {
      type: 'flag',
      meaning: 'show the evidence for each address; with --json, add an explanation',
    },
    json: { type: 'flag', meaning: 'print one result per line, as the API returns it' },
    concurrency: {
      type: 'text',
      placeholder: 'N',
      meaning: `conversations with mail hosts at once, 1 to ${mostConcurrency} (default: ${usualConcurrency})`,
    },
  },
  notes: [
    'Results are printed in the order of the addresses. If the API would return an error, --json prints {"email", "error"} with invalid_email, verification_unavailable, verification_timeout or verification_failed, and the exit code is 1. Any verdict, good or bad, counts as success.',
    'This needs outbound port 25. To find out whether it is open, run mailproof doctor.',
  ],
  examples: [
    'mailproof verify ada@example.com',
    'mailproof verify --file addresses.txt --json > results.jsonl',
    'cut -d, -f2 people.csv | mailproof verify --file -',
  ],
  words: { required: [], most: Infinity },
  async run({ options, positionals, ...surroundings }) {
    const { terminal } = surroundings;
    const conversations = readConcurrency(options.concurrency);
    if (conversations === undefined) {
      terminal.tell(`mailproof: --concurrency must be a whole number from 1 to ${mostConcurrency}`);
      return exitCodes.usage;
    }
    if (positionals.length === 0 && options.file === undefined) {
      terminal.tell('mailproof: Missing ADDRESS (usage: mailproof verify ADDRESS… [--file PATH|-])');
      return exitCodes.usage;
    }
    const input = options.file === undefined ? undefined : await openInput(options.file, surroundings);
    if (input?.kind === 'cannot_open') {
      terminal.tell(`mailproof: ${input.why}`);
      return exitCodes.usage;
    }
    const config = loadConfig(surroundings);
    const engine = config === undefined ? undefined : openEngine(config, conversations, surroundings);
    if (config === undefined || engine === undefined) return exitCodes.environment;
    const isOne = positionals.length === 1 && input === undefined;
    return await verifyAll({
      addresses: readAddresses(positionals, input?.stream),
      count: input === undefined ? positionals.length : undefined,
      isList: input !== undefined,
      present: (answer) => {
        if (options.json) return `${answerAsJson(answer, options)}\n`;
        if (isOne) return presentEvidence(answer, terminal);
        return options.explain ? `${presentEvidence(answer, terminal)}\n` : presentShort(answer, terminal);
      },
      engine,
      timeoutMs: input === undefined ? config.singleTimeoutMs : config.taskDeadlineMs,
      surroundings,
    });
  },
});

function readConcurrency(text: string | undefined): number | undefined {
  if (text === undefined) return usualConcurrency;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= mostConcurrency ? count : undefined;
}

/** Returns nothing if one of the operator's files cannot be used, after printing why. */
function openEngine(
  config: Config,
  openConversations: number,
  { terminal }: Surroundings,
): Engine | undefined {
  const tell = (message: string) => terminal.tell(`mailproof: ${message}`);
  const { spamtrapsFile, disposableFile, allowFile, denyFile, providersFile } = config;
  const files = [spamtrapsFile, disposableFile, allowFile, denyFile, providersFile];
  try {
    return createEngine({ ...engineSettings(config, tell), limits: { openConversations } });
  } catch (error) {
    if (files.every((file) => file === undefined)) throw error;
    tell(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** The addresses to verify: those named, then those of the file, one a line, blank lines passed over. */
async function* readAddresses(named: readonly string[], file: Readable | undefined): AsyncGenerator<string> {
  yield* named.map(trimAddress);
  if (file === undefined) return;
  for await (const lines of readLines(file)) {
    for (const line of lines) {
      // A line that is too long cannot be an address. It is answered, not dropped.
      const email = line.kind === 'line' ? trimAddress(line.text) : `(line ${line.number}: too long to show)`;
      if (email !== '') yield email;
    }
  }
}
