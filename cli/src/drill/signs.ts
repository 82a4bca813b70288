/** Watches what an operator watches: `/readyz`, the figures of each process, and the log. */
import type { Installation, LogLine } from './installation.ts';
import type { ProcessName, SupervisedProcess } from './supervised-process.ts';

/** The places that must report a fault, with the words; empty if only a supervisor can report it. */
export type ExpectedSigns = {
  readyz?: RegExp;
  metric?: { of: SupervisedProcess; says: RegExp };
  log?: RegExp;
};

export type SignKind = keyof ExpectedSigns;
type SeenSign = { at: number; said: string };

export type SignWatch = {
  /** The first sign of each kind since it was started. */
  seen(kind: SignKind): SeenSign | undefined;
  stop(): void;
};

const everyMs = 250;
/** `/readyz` answers within three seconds, whatever the database does. */
const patienceMs = 5_000;

/** The metric that Prometheus has for a process that it cannot read. */
export const isDown = /^up 0$/m;
export const noAnswer = /^no answer/;

export function watchSigns(expected: ExpectedSigns, installation: Installation): SignWatch {
  const seen = new Map<SignKind, SeenSign>();
  const stop = new AbortController();
  const note = (kind: SignKind, wanted: RegExp, text: string) => {
    const said = lineWith(wanted, text);
    if (said !== undefined && !seen.has(kind)) seen.set(kind, { at: performance.now(), said });
  };
  const { readyz, metric, log } = expected;
  const poll = async (kind: SignKind, wanted: RegExp, read: () => Promise<string>) => {
    while (!stop.signal.aborted && !seen.has(kind)) {
      note(kind, wanted, await read());
      await pause(stop.signal);
    }
  };
  if (readyz !== undefined)
    void poll('readyz', readyz, () => readText(`${installation.url}/readyz`, 'no answer', stop.signal));
  if (metric !== undefined) {
    const { metricsUrl } = metric.of;
    void poll('metric', metric.says, () => readText(metricsUrl, 'up 0', stop.signal));
  }
  const endListening = installation.listen(({ from, line }: LogLine) => {
    if (log !== undefined) note('log', log, sentenceOf(from, line));
  });
  return {
    seen: (kind) => seen.get(kind),
    stop() {
      stop.abort();
      endListening();
    },
  };
}

/** The matching line; of the JSON of `/readyz` the text that matches. */
function lineWith(wanted: RegExp, text: string): string | undefined {
  const line = text.split('\n').find((one) => wanted.test(one));
  if (line === undefined || !line.startsWith('{')) return line;
  const { problems = [], warnings = [] } = JSON.parse(line) as { problems?: string[]; warnings?: string[] };
  return [...problems, ...warnings].find((one) => wanted.test(one)) ?? line;
}

/** A log line for people: its source, its message, and its code if it has one. */
function sentenceOf(from: ProcessName, line: string): string {
  if (!line.startsWith('{')) return `${from}: ${line}`;
  try {
    const { msg, fault } = JSON.parse(line) as { msg?: string; fault?: string };
    return `${from}: ${msg ?? ''}${fault === undefined ? '' : ` (${fault})`}`;
  } catch {
    // A line that was cut short.
    return `${from}: ${line}`;
  }
}

async function readText(url: string, otherwise: string, signal: AbortSignal): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]) });
    return await answer.text();
  } catch {
    return otherwise;
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, everyMs);
    signal.addEventListener('abort', end, { once: true });
  });
}
