import { programVersion } from './program.ts';
import { nearestName } from '@mailproof/engine/nearest-name';
import { exitCodes, type Command, type CommandGroup, type ExitCode, type Surroundings } from './command.ts';
import { commands } from './commands.ts';
import { helpForCommand, helpForGroup, helpForProgram } from './usage.ts';

/** Finds the command that the arguments name, and runs it or shows its help. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { terminal } = surroundings;
  const [name, ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  if (name === undefined) {
    terminal.tell(helpForProgram(commands, terminal.columns));
    return exitCodes.usage;
  }
  if (name === '--help' || name === '-h')
    return await show(helpForProgram(commands, terminal.columns), surroundings);
  if (name === '--version') return await show(`${programVersion()}\n`, surroundings);
  const entry = commands.find((command) => command.name === name);
  if (entry === undefined)
    return refuse('command', { name, known: commands.map((command) => command.name) }, surroundings);
  const command = await entry.load();
  return command.kind === 'group'
    ? await runGroup(command, rest, surroundings)
    : await runCommand(command, rest, surroundings);
}

async function runGroup(
  group: CommandGroup,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<ExitCode> {
  const help = helpForGroup(group, surroundings.terminal.columns);
  if (args[0] === '--help' || args[0] === '-h') return await show(help, surroundings);
  const isNamed = args[0]?.startsWith('-') === false;
  const [name, ...rest] = isNamed || group.byDefault === undefined ? args : [group.byDefault, ...args];
  if (name === undefined) {
    surroundings.terminal.tell(help);
    return exitCodes.usage;
  }
  const action = Object.hasOwn(group.actions, name) ? group.actions[name] : undefined;
  if (action === undefined) {
    return refuse(`${group.name} command`, { name, known: Object.keys(group.actions) }, surroundings);
  }
  return await runCommand(action, rest, surroundings);
}

async function runCommand(
  command: Command,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<ExitCode> {
  const ownWords = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const asksForHelp = ownWords.includes('--help') || ownWords.includes('-h');
  if (asksForHelp) return await show(helpForCommand(command, surroundings.terminal.columns), surroundings);
  return await command.run(args, surroundings);
}

async function show(text: string, { terminal }: Surroundings): Promise<ExitCode> {
  await terminal.write(text);
  return exitCodes.ok;
}

function refuse(
  what: string,
  { name, known }: { name: string; known: string[] },
  { terminal }: Surroundings,
): ExitCode {
  const meant = nearestName(name, known);
  const hint = meant === undefined ? `Commands: ${known.join(', ')}` : `Did you mean ${meant}?`;
  terminal.tell(`mailproof: Unknown ${what} ${JSON.stringify(name)}. ${hint}`);
  return exitCodes.usage;
}
