import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const program = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { readOnly: true });
  const [row] = database.prepare('pragma quick_check(1)').all();
  process.stdout.write(String(Object.values(row)[0]));
`;

/**
 * Checks a whole database file for damage in a separate process. SQLite reads every page without a pause, which
 * takes minutes for a large file, and cannot be interrupted from within.
 */
export async function isFileSound(file: string, stop: AbortSignal): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, file], { signal: stop });
    return stdout === 'ok';
  } catch (error) {
    stop.throwIfAborted();
    // Damage can also show as an error: the check stops at a page that cannot be read.
    if (error instanceof Error && 'stderr' in error && /malformed|not a database/.test(String(error.stderr)))
      return false;
    throw error;
  }
}
