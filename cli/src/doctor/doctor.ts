import type { PolicyFile } from '@mailproof/engine';
import type { Config } from '@mailproof/service/config';
import { engineSettings } from '@mailproof/service/engine-settings';
import { defineCommand, exitCodes, type Surroundings } from '../command.ts';
import { presentFindings, withDoctorParts, type DoctorParts, type Finding } from './doctor-parts.ts';
import { checkCallback, checkSenderDomain } from './check-sender.ts';
import { checkEgress, checkHeloName } from './check-egress.ts';
import { checkMachine, checkSettings } from './check-machine.ts';
import { checkMailPort } from './check-mail-port.ts';
import { checkResolvers } from './check-resolvers.ts';
import { checkBlockLists } from './check-block-lists.ts';
import {
  checkControls,
  checkProbers,
  checkProxies,
  checkRoutes,
  checkStore,
  checkWorkers,
} from './check-store.ts';
import { loadConfig } from '../config.ts';
import { counted } from '../present/text.ts';

const questionMs = 6_000;

export const doctorCommand = defineCommand({
  name: 'doctor',
  takes: '[--json]',
  summary: 'find what prevents this machine from verifying, and how to fix it',
  options: { json: { type: 'flag', meaning: 'one object: {ok, checks: [{check, state, seen, remedy?}]}' } },
  notes: [
    'Checks Node, the clock, the data directory, the database, the workers, the resolvers, outbound port 25, the HELO name and its reverse DNS, the sender domain, and for each IP address that mail servers see us come from: the HELO name, the reverse DNS, what SPF says of it, and whether a block list has it. At the mail server of your own sender domain it asks for the sender and for postmaster, as servers do that call back. States: ok, warning, problem, not_checked. The exit code is 1 if there is a problem.',
    'Port 25 is tested with the canaries in your providers file. If there are none, it is tested with the mail server of your own sender domain (MAILPROOF_MAIL_FROM). No other server is contacted. Behind NAT, set MAILPROOF_PUBLIC_ADDRESS: the address that mail servers see cannot be found out here.',
  ],
  examples: ['mailproof doctor', 'MAILPROOF_HELO_NAME=probe.example.com mailproof doctor --json'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    const policy = readPolicy(config, surroundings);
    if (policy === undefined) return exitCodes.environment;
    const { terminal, signal } = surroundings;
    terminal.progress('Checking …');
    const findings = await withDoctorParts({ config, ...policy, signal, questionMs }, examine);
    const ok = !findings.some(({ state }) => state === 'problem');
    const text = options.json
      ? JSON.stringify({ ok, checks: findings })
      : [...presentFindings(findings, terminal), '', conclusion(findings)].join('\n');
    await terminal.write(`${text}\n`);
    return ok ? exitCodes.ok : exitCodes.found;
  },
});

/** Runs every check at once; the findings come in the order in which things are needed. */
async function examine(parts: DoctorParts): Promise<Finding[]> {
  const asked = await Promise.all([
    checkStore(parts),
    checkWorkers(parts),
    checkResolvers(parts),
    checkMailPort(parts),
    checkHeloName(parts),
    checkSenderDomain(parts),
    checkEgress(parts),
    checkCallback(parts),
    checkProbers(parts),
    checkRoutes(parts),
    checkBlockLists(parts),
    checkControls(parts),
    checkProxies(parts),
  ]);
  return [...checkMachine(parts), ...asked.flat(), ...checkSettings(parts)];
}

/** Returns nothing if the providers file cannot be used, after printing why. */
function readPolicy(
  config: Config,
  { terminal }: Surroundings,
): Pick<PolicyFile, 'canaries' | 'routes'> | undefined {
  try {
    return engineSettings(config, () => undefined).policyFile ?? { canaries: [], routes: [] };
  } catch (error) {
    if (config.providersFile === undefined) throw error;
    terminal.tell(`mailproof: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function conclusion(findings: readonly Finding[]): string {
  const problems = findings.filter(({ state }) => state === 'problem').length;
  return problems === 0 ? 'No problems found.' : `${counted(problems, 'problem')} found.`;
}
