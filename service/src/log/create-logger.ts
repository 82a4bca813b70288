import { pino, type Logger } from 'pino';
import { batchWrites, type LogOutput } from './batch-writes.ts';

/**
 * One JSON object a line. Errors are logged by an allow-list: a message may quote an address, a query or
 * a key, so only the kind of error and the places in our code it passed through are kept.
 */
export function createLogger(level: string, output: LogOutput): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: describeDefect },
  };
  return pino(options, output);
}

/** Writes in the background, many lines at a time. */
export function openStandardOutput(): LogOutput {
  return batchWrites(pino.destination({ dest: 1, sync: false }));
}

type Defect = { name: string; code?: string; at: string[] };

const framesKept = 8;

function describeDefect(error: unknown): Defect {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const at = (error.stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, framesKept)
    .map((line) => line.trim().slice('at '.length));
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { name: error.name, ...code, at };
}
