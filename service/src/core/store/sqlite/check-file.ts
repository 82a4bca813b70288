import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const program = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { readOnly: true });
  const [row] = database.prepare('pragma quick_check(1)').all();
  process.stdout.write(String(Object.values(row)[0]));
`;

/**
 * Looks through a whole database file for damage, in a process of its own: SQLite reads every page of it without a pause,
 * which takes minutes for a large one, and cannot be broken off from within.
 */
export async function isFileSound(file: string, stop: AbortSignal): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, file], { signal: stop });
    return stdout === 'ok';
  } catch (error) {
    stop.throwIfAborted();
    // It says so by failing, too: a page that cannot be read as one ends the look at it.
    if (error instanceof Error && 'stderr' in error && /malformed|not a database/.test(String(error.stderr)))
      return false;
    throw error;
  }
}
