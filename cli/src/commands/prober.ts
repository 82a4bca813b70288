import { StartError, startProber } from '@mailproof/service/prober';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { programVersion } from '../program.ts';
import { createSystemdNotifier } from '../systemd-notifier.ts';

export const proberCommand = defineCommand({
  name: 'prober',
  takes: '[--url URL] [--token TOKEN]',
  summary: 'ask mail hosts for a service elsewhere, from this machine',
  options: {
    url: { type: 'text', placeholder: 'URL', meaning: 'where the service is; needed the first time' },
    token: {
      type: 'text',
      placeholder: 'TOKEN',
      meaning: 'from mailproof probers add; needed the first time',
    },
    json: { type: 'flag', meaning: 'no effect: the log is always JSON' },
  },
  notes: [
    'The first start enrols the prober and keeps its secret in the data directory, readable for its user alone. It needs outbound ports 443 and 25, and no database. On Ctrl-C or SIGTERM it leases nothing more, ends what is under way, and exits with code 0 within 30 seconds.',
  ],
  examples: ['mailproof prober --url https://verify.example.com --token TOKEN', 'mailproof prober'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const { terminal, signal } = surroundings;
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    try {
      const { url, token } = options;
      const prober = await startProber(config, { url, token, version: programVersion(), signal });
      const notifier = createSystemdNotifier(surroundings);
      await notifier.ready(`asking mail hosts as ${prober.name}`);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.all([notifier.stopping(), prober.stop()]);
      return exitCodes.ok;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      terminal.tell(`mailproof: ${error.message}`);
      return exitCodes.environment;
    }
  },
});
