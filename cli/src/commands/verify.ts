import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { openInput } from '../input/open-input.ts';
import { loadConfig } from '../load-config.ts';
import { presentShort, presentStory } from '../present/present-answer.ts';
import { answerAsJson } from '../verify/answer.ts';
import { openEngine } from '../verify/open-engine.ts';
import { readAddresses } from '../verify/read-addresses.ts';
import { verifyAll } from '../verify/verify-all.ts';

const usualConcurrency = 10;
const mostConcurrency = 500;

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
    const engine = config === undefined ? undefined : openEngine(config, surroundings);
    if (config === undefined || engine === undefined) return exitCodes.environment;
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
      engine,
      timeoutMs: config.singleTimeoutMs,
      surroundings,
    });
  },
});

function readConcurrency(text: string | undefined): number | undefined {
  if (text === undefined) return usualConcurrency;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= mostConcurrency ? count : undefined;
}
