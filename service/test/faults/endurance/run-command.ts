import { launch, type Home } from './launch.ts';

/** Runs a command of the command line with `--json` and reads its answer; anything but success is an error. */
export async function runCommand(args: readonly string[], home: Home): Promise<Record<string, unknown>> {
  const { written, ended } = launch([...args, '--json'], home);
  const code = await ended;
  const text = written().toString('utf8');
  if (code !== 0) throw new Error(`mailproof ${args.join(' ')} ended with ${String(code)}: ${text}`);
  const answer: unknown = JSON.parse(text);
  if (!isRecord(answer)) throw new Error(`mailproof ${args.join(' ')} said ${text}`);
  return answer;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
