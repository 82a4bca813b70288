import { pino, type DestinationStream, type Logger } from 'pino';

/**
 * One JSON object a line. Errors are logged by an allow-list: a message may quote an address, a query or
 * a key, so only the kind of error and the places in our code it passed through are kept.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: describeDefect },
  };
  return pino(options, destination ?? standardOutput());
}

/**
 * While one write is under way the next lines wait together, so that a busy service does not stand still for each of
 * its lines. What waits is written when the process ends, however it comes to its end by itself.
 */
function standardOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false });
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
