import type { Command, CommandGroup } from './command.ts';

/** A line of the table: enough for `--help` without loading the command and all it stands on. */
export type CommandEntry = { name: string; summary: string; load(): Promise<Command | CommandGroup> };

export const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the service: API, worker and upkeep in one process',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    name: 'verify',
    summary: 'verify addresses, here and now, without the service',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  {
    name: 'check',
    summary: 'check a list of addresses through the API of the service',
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  {
    name: 'parse',
    summary: 'check the syntax of addresses alone',
    load: async () => (await import('./commands/parse.ts')).parseCommand,
  },
  {
    name: 'classify',
    summary: 'say what replies of mail hosts mean',
    load: async () => (await import('./commands/classify.ts')).classifyCommand,
  },
  {
    name: 'doctor',
    summary: 'find what keeps this machine from verifying, with the remedy',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'config',
    summary: 'list every setting with the value in force',
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  {
    name: 'accounts',
    summary: 'make and list accounts, set their plan',
    load: async () => (await import('./commands/accounts.ts')).accountsCommand,
  },
  {
    name: 'keys',
    summary: 'issue, list and delete API keys',
    load: async () => (await import('./commands/keys.ts')).keysCommand,
  },
  {
    name: 'credits',
    summary: 'grant and show credits',
    load: async () => (await import('./commands/credits.ts')).creditsCommand,
  },
  {
    name: 'audit',
    summary: 'check the books: every promise of the ledger',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  {
    name: 'migrate',
    summary: 'bring the database to the schema of this version',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  {
    name: 'copy',
    summary: 'copy an installation to another database, books balanced',
    load: async () => (await import('./commands/copy.ts')).copyCommand,
  },
];
