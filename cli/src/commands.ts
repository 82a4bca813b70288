import type { Command, CommandGroup } from './command.ts';

/** A line of the table: enough for `--help` without loading the command and all it stands on. */
export type CommandEntry = { name: string; summary: string; load(): Promise<Command | CommandGroup> };

export const commands: readonly CommandEntry[] = [
  {
    name: 'verify',
    summary: 'verify addresses, here and now, without the service',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
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
];
