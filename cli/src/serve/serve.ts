import { startService, StartError, type ProcessRole, type Service } from '@mailproof/service/main';
import type { Config } from '@mailproof/service/config';
import { defineCommand, exitCodes, type Surroundings } from '../command.ts';
import { checkHeloName } from '../doctor/check-egress.ts';
import { withDoctorParts } from '../doctor/doctor-parts.ts';
import { loadConfig } from '../config.ts';
import { createSystemdNotifier } from './systemd-notifier.ts';

/** How long the look at the HELO name waits for a silent resolver. */
const heloQuestionMs = 1_500;

export const serveCommand = defineCommand({
  name: 'serve',
  takes: '[--role all|api|worker|prober]',
  summary:
    'run the service: the API, the worker that runs tasks, the prober that asks mail hosts, or all of them',
  options: {
    role: {
      type: 'text',
      placeholder: 'all|api|worker|prober',
      meaning:
        'what this process does: serve the API, run tasks, ask mail hosts, or all of it (default: all)',
    },
    json: { type: 'flag', meaning: 'accepted; the log is JSON with and without it' },
  },
  notes: [
    'The role decides who may ask mail hosts. Processes with the role all or prober ask. Processes with the role api or worker ask only in an installation that never had a prober: once a process was started with --role prober, or a prober has enrolled (see mailproof probers), they never do. If no prober runs then, single verifications are answered with 502, tasks wait, and /readyz and the log say so.',
    'The first start creates an account with 1,000 credits and prints its keys, once. On Ctrl-C or SIGTERM the process drains: open requests are answered, tasks are handed back, and it ends with exit code 0 within 30 seconds. A second signal ends it at once.',
  ],
  examples: [
    'mailproof serve',
    'MAILPROOF_PORT=9000 mailproof serve',
    'MAILPROOF_DATABASE_URL=postgres://… mailproof serve --role worker',
  ],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const { terminal, signal } = surroundings;
    const role = roles.find((known) => known === (options.role ?? 'all'));
    if (role === undefined) {
      terminal.tell('mailproof: --role must be all, api, worker or prober');
      return exitCodes.usage;
    }
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    const service = await start(config, role, surroundings);
    if (service === undefined) return exitCodes.environment;
    const notifier = createSystemdNotifier(surroundings);
    await notifier.ready(service.url === '' ? `${role} at work` : `listening on ${service.url}`);
    // The service runs until it is stopped, even if the check of the HELO name fails.
    await Promise.allSettled([aborted(signal), tellOfHeloName(config, surroundings)]);
    await Promise.all([notifier.stopping(), service.stop()]);
    return exitCodes.ok;
  },
});

const roles: readonly ProcessRole[] = ['all', 'api', 'worker', 'prober'];

/** Returns undefined if the service cannot start for a reason outside of it, after printing the reason. */
async function start(
  config: Config,
  role: ProcessRole,
  { terminal }: Surroundings,
): Promise<Service | undefined> {
  try {
    return await startService(config, { role });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    terminal.tell(`mailproof: ${error.message}`);
    return undefined;
  }
}

/**
 * A name that does not lead back to us costs verdicts. It is told and does not stop the start. If public mail hosts are
 * not asked under such a name, the log says so, and this need not.
 */
async function tellOfHeloName(config: Config, { terminal, signal }: Surroundings): Promise<void> {
  if (config.identityCheck === 'on' && config.egressAllow.length === 0) return;
  const { state, seen } = await withDoctorParts(
    { config, canaries: [], signal, questionMs: heloQuestionMs },
    checkHeloName,
  );
  if (state === 'problem')
    terminal.tell(`mailproof: HELO name: ${seen}. To see how to fix it, run mailproof doctor.`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
