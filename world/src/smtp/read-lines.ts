/**
 * Cuts what the client sends into lines and notices what a client must not send: bare line feeds,
 * control bytes, lines over the limit. Text is kept as latin1 until a line is whole.
 */
import type { ViolationKind } from './record.ts';

export type LineReader = {
  read(chunk: Buffer): void;
  /** Bytes of a line that has not ended. */
  rest(): string;
};

type Parts = { onLine: (line: string) => void; report: (kind: ViolationKind, detail: string) => void };

/** RFC 5321 section 4.5.3.1.4, CRLF included. */
const commandBytes = 512;
/** No line end within this many bytes: nothing a client of ours would do. What is left is dropped. */
const hopelessBytes = 65_536;

// eslint-disable-next-line no-control-regex -- control bytes are what is looked for
const controlByte = /[\x00-\x1f\x7f]/;

export function lineReader({ onLine, report }: Parts): LineReader {
  let rest = '';
  const take = (raw: string) => {
    if (!raw.endsWith('\r')) report('bare_lf', raw);
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (raw.length + 1 > commandBytes) report('command_too_long', `${raw.length + 1} bytes`);
    if (controlByte.test(line)) report('control_byte', line);
    onLine(Buffer.from(line, 'latin1').toString('utf8'));
  };
  return {
    read(chunk) {
      rest += chunk.toString('latin1');
      let start = 0;
      for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
        take(rest.slice(start, end));
        start = end + 1;
      }
      rest = rest.slice(start);
      if (rest.length <= hopelessBytes) return;
      report('command_too_long', 'no line end');
      rest = '';
    },
    rest: () => rest,
  };
}
