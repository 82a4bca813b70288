import type { Config } from '@mailproof/service/config';
import { engineSettings } from '@mailproof/service/engine-settings';
import { defineCommand, type Surroundings } from '../command.ts';
import type { Finding } from '../doctor/check.ts';
import { examine } from '../doctor/examine.ts';
import { withDoctorParts } from '../doctor/with-doctor-parts.ts';
import { exitCodes } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { printable } from '../present/printable.ts';
import { wrap } from '../present/wrap.ts';
import type { Colour, Terminal } from '../terminal.ts';

const questionMs = 6_000;

export const doctorCommand = defineCommand({
  name: 'doctor',
  takes: '[--json]',
  summary: 'find what keeps this machine from verifying, with the remedy',
  options: { json: { type: 'flag', meaning: 'one object: {ok, checks: [{check, state, seen, remedy?}]}' } },
  notes: [
    'Looks at Node, the clock, the data directory, the resolvers, outbound port 25, the HELO name and its way back, the sender domain and its SPF record. States: ok, warning, problem, not_checked. The exit code is 1 where there is a problem.',
    'Port 25 is tried on the canaries of your providers file or, without any, on the mail host of your own sender domain (MAILPROOF_MAIL_FROM), and on no other.',
  ],
  examples: ['mailproof doctor', 'MAILPROOF_HELO_NAME=probe.example.com mailproof doctor --json'],
  words: { least: 0, most: 0 },
  async run({ options, ...surroundings }) {
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    const canaries = readCanaries(config, surroundings);
    if (canaries === undefined) return exitCodes.environment;
    const { terminal, signal } = surroundings;
    terminal.progress('looking …');
    const findings = await withDoctorParts({ config, canaries, signal, questionMs }, examine);
    const ok = !findings.some(({ state }) => state === 'problem');
    const text = options.json
      ? JSON.stringify({ ok, checks: findings })
      : presentFindings(findings, terminal);
    await terminal.write(`${text}\n`);
    return ok ? exitCodes.ok : exitCodes.found;
  },
});

/** Nothing where the providers file cannot be used, and that has been told then. */
function readCanaries(config: Config, { terminal }: Surroundings): readonly string[] | undefined {
  try {
    return engineSettings(config, () => undefined).policyFile?.canaries ?? [];
  } catch (error) {
    if (config.providersFile === undefined) throw error;
    terminal.tell(`mailproof: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

const stateColours: Readonly<Record<Finding['state'], Colour>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  not_checked: 'cyan',
};

function presentFindings(findings: readonly Finding[], { paint, columns }: Terminal): string {
  const indent = ' '.repeat(13);
  const lines = findings.flatMap(({ check, state, seen, remedy }) => {
    const [head = '', ...rest] = wrap(`${check}: ${printable(seen)}`, { columns, first: indent, indent });
    const label = paint(stateColours[state], state.replace('_', ' ').padEnd(indent.length));
    const advice =
      remedy === undefined ? [] : wrap(remedy, { columns, first: `${indent}→ `, indent: `${indent}  ` });
    return [`${label}${head.slice(indent.length)}`, ...rest, ...advice];
  });
  const problems = findings.filter(({ state }) => state === 'problem').length;
  const count = problems === 1 ? 'one problem' : `${problems} problems`;
  return [
    ...lines,
    '',
    problems === 0 ? 'Nothing found that keeps this machine from verifying.' : `${count} found.`,
  ].join('\n');
}
