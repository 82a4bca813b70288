import type { Command, CommandGroup } from './command.ts';

/** A line of the table: enough for `--help` without loading the command and all it stands on. */
export type CommandEntry = { name: string; summary: string; load(): Promise<Command | CommandGroup> };

export const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the service: API, worker and maintenance in one process',
    load: async () => (await import('./serve/serve.ts')).serveCommand,
  },
  {
    name: 'verify',
    summary: 'verify addresses directly, without a service',
    load: async () => (await import('./verify/verify.ts')).verifyCommand,
  },
  {
    name: 'demo',
    summary: 'try it out: the service, its console and a simulated mail internet',
    load: async () => (await import('./demo/demo.ts')).demoCommand,
  },
  {
    name: 'drill',
    summary: 'break an installation on purpose, and show who tells and when answers come back',
    load: async () => (await import('./drill/drill.ts')).drillCommand,
  },
  {
    name: 'check',
    summary: 'check a list of addresses through the API of a running service',
    load: async () => (await import('./features/lists/check.ts')).checkCommand,
  },
  {
    name: 'lists',
    summary: 'view and manage the lists that a service checks',
    load: async () => (await import('./features/lists/lists.ts')).listsCommand,
  },
  {
    name: 'webhooks',
    summary: 'manage the endpoints that a service tells of events',
    load: async () => (await import('./features/webhooks/webhooks.ts')).webhooksCommand,
  },
  {
    name: 'mcp',
    summary: 'offer a service to an agent (Model Context Protocol)',
    load: async () => (await import('./features/agents/mcp.ts')).mcpCommand,
  },
  {
    name: 'parse',
    summary: 'check only the syntax of addresses',
    load: async () => (await import('./input/parse-and-classify.ts')).parseCommand,
  },
  {
    name: 'classify',
    summary: 'explain replies of mail servers',
    load: async () => (await import('./input/parse-and-classify.ts')).classifyCommand,
  },
  {
    name: 'doctor',
    summary: 'find what prevents this machine from verifying, and how to fix it',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  {
    name: 'setup',
    summary: 'ask for what the service needs, and write the settings file',
    load: async () => (await import('./setup/setup.ts')).setupCommand,
  },
  {
    name: 'config',
    summary: 'list all settings with their current values',
    load: async () => (await import('./config.ts')).configCommand,
  },
  {
    name: 'domain-lists',
    summary: 'show and renew the lists of domains',
    load: async () => (await import('./domain-lists/domain-lists.ts')).domainListsCommand,
  },
  {
    name: 'accounts',
    summary: 'create and list accounts, set their plan',
    load: async () => (await import('./accounts/accounts.ts')).accountsCommand,
  },
  {
    name: 'keys',
    summary: 'create, list and delete API keys',
    load: async () => (await import('./accounts/keys.ts')).keysCommand,
  },
  {
    name: 'prober',
    summary: 'ask mail hosts for a service elsewhere, from this machine',
    load: async () => (await import('./features/probers/probers.ts')).proberCommand,
  },
  {
    name: 'probers',
    summary: 'add, list and remove probers outside this installation',
    load: async () => (await import('./features/probers/probers.ts')).probersCommand,
  },
  {
    name: 'rests',
    summary: 'list and end rests: mail hosts that are left alone for now',
    load: async () => (await import('./features/operator/rests.ts')).restsCommand,
  },
  {
    name: 'opt-outs',
    summary: 'list, add and remove domains whose mail servers are never asked',
    load: async () => (await import('./domain-lists/opt-outs.ts')).optOutsCommand,
  },
  {
    name: 'form-keys',
    summary: 'create, list and delete publishable keys for sign-up forms',
    load: async () => (await import('./features/forms/form-keys.ts')).formKeysCommand,
  },
  {
    name: 'credits',
    summary: 'grant and show credits',
    load: async () => (await import('./accounts/accounts.ts')).creditsCommand,
  },
  {
    name: 'audit',
    summary: 'audit the ledger of credits',
    load: async () => (await import('./store/audit.ts')).auditCommand,
  },
  {
    name: 'migrate',
    summary: 'update the database schema to this version',
    load: async () => (await import('./store/schema.ts')).migrateCommand,
  },
  {
    name: 'upgrade',
    summary: 'say what a start of this version would do to the database',
    load: async () => (await import('./store/schema.ts')).upgradeCommand,
  },
  {
    name: 'backup',
    summary: 'back up the database while the service is running, or verify a backup',
    load: async () => (await import('./features/backups/backups.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'restore a backup where there is no database yet',
    load: async () => (await import('./features/backups/backups.ts')).restoreCommand,
  },
  {
    name: 'copy',
    summary: 'copy an installation to another database',
    load: async () => (await import('./store/copy.ts')).copyCommand,
  },
];
