import { execFileSync } from 'node:child_process';

/**
 * Runs npm in a folder without the user's settings, and returns its output. Its complaints are told only if it fails.
 */
export function runNpm(args: readonly string[], cwd: string): string {
  const settings = ['--userconfig=/dev/null', '--loglevel=error', '--no-update-notifier'];
  return execFileSync('npm', [...args, ...settings], { cwd, encoding: 'utf8', maxBuffer: 64 * 1_048_576 });
}

/** Packs the folder as it is into a tarball in the directory, and answers with its name. */
export function npmPack(folder: string, directory: string): string {
  const answer = runNpm(['pack', '--json', '--ignore-scripts', '--pack-destination', directory], folder);
  const [packed] = JSON.parse(answer) as { filename: string }[];
  if (packed === undefined) throw new Error('npm pack packed nothing');
  return packed.filename;
}
