import { pino, type Logger } from 'pino';
import { gatherLines, type Lines } from './gather-lines.ts';

/**
 * One JSON object a line. Errors are logged by an allow-list: a message may quote an address, a query or
 * a key, so only the kind of error and the places in our code it passed through are kept.
 */
export function createLogger(level: string, output: Lines): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: describeDefect },
  };
  return pino(options, output);
}

/** Written beside the work, many lines at a time. */
export function openStandardOutput(): Lines {
  return gatherLines(pino.destination({ dest: 1, sync: false }));
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
