import { nearestName } from '@mailproof/engine/nearest-name';
import { exitCodes, type Command, type CommandGroup, type ExitCode, type Surroundings } from './command.ts';
import { commands } from './commands.ts';
import { enabledFeatures, type Feature } from './features.ts';
import { programVersion } from './program.ts';
import { helpForCommand, helpForGroup, helpForProgram } from './usage.ts';

/** The process, and the features that the operator has left in. */
type Context = Surroundings & { enabled: ReadonlySet<Feature> };

/** Finds the command that the arguments name, and runs it or shows its help. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { terminal, env } = surroundings;
  const features = enabledFeatures(env);
  if (features.kind === 'bad') {
    terminal.tell(`mailproof: ${features.problem}`);
    return exitCodes.environment;
  }
  const context = { ...surroundings, enabled: features.enabled };
  const [name, ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  if (name === undefined) {
    terminal.tell(helpForProgram(context.enabled, terminal.columns));
    return exitCodes.usage;
  }
  if (name === '--help' || name === '-h')
    return await showHelp(helpForProgram(context.enabled, terminal.columns), rest, context);
  if (name === '--version') return await showVersion(rest, context);
  const entry = commands.find((command) => command.name === name);
  if (entry === undefined) {
    const known = commands.filter(isEnabled(context)).map((command) => command.name);
    return refuseUnknown('command', { name, known }, context);
  }
  if (!isEnabled(context)(entry)) return refuseLeftOut(entry, context);
  const command = await entry.load();
  return command.kind === 'group'
    ? await runGroup(command, rest, context)
    : await runCommand(command, rest, context);
}

async function runGroup(group: CommandGroup, args: readonly string[], context: Context): Promise<ExitCode> {
  const { terminal, enabled } = context;
  const help = helpForGroup(group, { enabled, columns: terminal.columns });
  if (args[0] === '--help' || args[0] === '-h') return await showHelp(help, args, context);
  const isNamed = args[0]?.startsWith('-') === false;
  const [name, ...rest] = isNamed || group.byDefault === undefined ? args : [group.byDefault, ...args];
  if (name === undefined) {
    terminal.tell(help);
    return exitCodes.usage;
  }
  const action = Object.hasOwn(group.actions, name) ? group.actions[name] : undefined;
  if (action === undefined) {
    const known = Object.entries(group.actions).flatMap(([word, command]) =>
      isEnabled(context)(command) ? [word] : [],
    );
    return refuseUnknown(`${group.name} command`, { name, known }, context);
  }
  return isEnabled(context)(action)
    ? await runCommand(action, rest, context)
    : refuseLeftOut(action, context);
}

async function runCommand(command: Command, args: readonly string[], context: Context): Promise<ExitCode> {
  const ownWords = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const asksForHelp = ownWords.includes('--help') || ownWords.includes('-h');
  if (asksForHelp)
    return await showHelp(helpForCommand(command, context.terminal.columns), ownWords, context);
  return await command.run(args, context);
}

async function showHelp(
  text: string,
  args: readonly string[],
  { terminal }: Surroundings,
): Promise<ExitCode> {
  if (args.includes('--json')) {
    terminal.tell('mailproof: The help has no JSON form. Leave out --json.');
    return exitCodes.usage;
  }
  await terminal.write(text);
  return exitCodes.ok;
}

async function showVersion(args: readonly string[], { terminal }: Surroundings): Promise<ExitCode> {
  const version = programVersion();
  await terminal.write(args.includes('--json') ? `${JSON.stringify({ version })}\n` : `${version}\n`);
  return exitCodes.ok;
}

function isEnabled({ enabled }: Context): (command: { feature?: Feature | undefined }) => boolean {
  return ({ feature }) => feature === undefined || enabled.has(feature);
}

function refuseLeftOut(
  { name, feature }: { name: string; feature?: Feature | undefined },
  { terminal }: Context,
): ExitCode {
  terminal.tell(
    `mailproof: "mailproof ${name}" belongs to the feature ${feature ?? ''}, which MAILPROOF_FEATURES leaves out. To use it, add ${feature ?? ''} to that setting.`,
  );
  return exitCodes.usage;
}

function refuseUnknown(
  kind: string,
  { name, known }: { name: string; known: string[] },
  { terminal }: Context,
): ExitCode {
  const meant = nearestName(name, known);
  const hint = meant === undefined ? `Commands: ${known.join(', ')}` : `Did you mean ${meant}?`;
  terminal.tell(`mailproof: Unknown ${kind} ${JSON.stringify(name)}. ${hint}`);
  return exitCodes.usage;
}
