import type { Command, CommandGroup } from './command.ts';
import type { Feature } from './features.ts';
import { loadCommand, type CommandName } from './load-command.ts';

/** A row of `--help`, known without loading the command. A command is gone if its feature is left out. */
type CommandEntry = {
  name: CommandName;
  summary: string;
  feature: Feature | undefined;
  load: () => Promise<Command | CommandGroup>;
};

/** All commands in the order of `--help`, the daily ones first. */
export const sections = [
  section('every day', [
    entry('verify', 'verify addresses directly, without a service'),
    entry('check', 'check a list of addresses through the API of a running service', 'lists'),
    entry('serve', 'run the service: API, worker and maintenance in one process'),
    entry('doctor', 'find what prevents this machine from verifying, and how to fix it'),
    entry('demo', 'try it out: the service, its console and a simulated mail internet'),
  ]),
  section('settings', [
    entry('setup', 'ask for what the service needs, and write the settings file'),
    entry('config', 'list all settings with their current values'),
  ]),
  section('accounts and keys', [
    entry('accounts', 'create and list accounts, set their plan and rate'),
    entry('keys', 'create, list, change and delete API keys'),
    entry('credits', 'grant and show credits'),
    entry('form-keys', 'create, list and delete publishable keys for sign-up forms', 'forms'),
  ]),
  section('through the API of a service', [
    entry('lists', 'view and manage the lists that a service checks', 'lists'),
    entry('webhooks', 'manage the endpoints that a service calls when something happens', 'webhooks'),
    entry('mcp', 'offer a service to an agent (Model Context Protocol)', 'agents'),
  ]),
  section('the operation of a service', [
    entry('store', 'maintain the database: its schema, its ledger and copies of it'),
    entry('probers', 'add, list and remove probers on other machines, or run one here', 'probers'),
    entry('rests', 'list and end rests: mail hosts that are left alone for now', 'operator'),
    entry('opt-outs', 'list, add and remove domains whose mail servers are never asked'),
    entry('domain-lists', 'show and renew the lists of domains'),
    entry('drill', 'break an installation on purpose, and show the alerts and the recovery'),
  ]),
  section('tools without a network', [
    entry('parse', 'check only the syntax of addresses'),
    entry('classify', 'explain replies of mail servers'),
  ]),
  section('short names', [
    entry('audit', 'the same as store audit'),
    entry('migrate', 'the same as store migrate'),
    entry('upgrade', 'the same as store upgrade'),
    entry('backup', 'the same as store backup', 'backups'),
    entry('restore', 'the same as store restore', 'backups'),
    entry('copy', 'the same as store copy'),
    entry('prober', 'the same as probers run', 'probers'),
  ]),
];

export const commands: readonly CommandEntry[] = sections.flatMap((one) => one.commands);

function section(title: string, entries: readonly CommandEntry[]) {
  return { title, commands: entries };
}

function entry(name: CommandName, summary: string, feature?: Feature): CommandEntry {
  return { name, summary, feature, load: loadCommand[name] };
}
