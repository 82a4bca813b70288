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

type Defect = { name: string; code?: string; fault?: string; at: string[] };

const framesKept = 8;

function describeDefect(error: unknown): Defect {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const at = (error.stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, framesKept)
    .map((line) => line.trim().slice('at '.length));
  return { name: error.name, ...wordIn(error, 'code'), ...wordIn(error, 'fault'), at };
}

/** What went wrong as one word, where the error has it: `ECONNREFUSED`, or `slow` of a store that does not answer. */
function wordIn(error: Error, name: 'code' | 'fault'): Partial<Defect> {
  const word: unknown = Reflect.get(error, name);
  return typeof word === 'string' ? { [name]: word } : {};
}
