import type { ViolationKind } from './record.ts';

/** A line of the client, taken apart as RFC 5321 section 4.1 writes commands. */
export type Command = {
  /** Upper case; the whole first word if the verb is not known. */
  verb: string;
  line: string;
  /** The address between the angle brackets of MAIL and RCPT. */
  path: string | undefined;
  /** ESMTP parameters in upper case. */
  parameters: string[];
};

const pathPrefix: Record<string, string> = { MAIL: 'FROM:<', RCPT: 'TO:<' };

export function parseCommand(line: string): Command {
  const space = line.indexOf(' ');
  const verb = (space === -1 ? line : line.slice(0, space)).toUpperCase();
  const rest = space === -1 ? '' : line.slice(space + 1);
  const prefix = pathPrefix[verb];
  const end = rest.lastIndexOf('>');
  if (prefix === undefined || end === -1 || rest.slice(0, prefix.length).toUpperCase() !== prefix) {
    return { verb, line, path: undefined, parameters: [] };
  }
  const parameters = rest
    .slice(end + 1)
    .toUpperCase()
    .split(' ')
    .filter((word) => word !== '');
  return { verb, line, path: rest.slice(prefix.length, end), parameters };
}

export type LineReader = {
  read(chunk: Buffer): void;
  /** Returns the bytes of the unfinished line. */
  rest(): string;
};

type Parts = { onLine: (line: string) => void; report: (kind: ViolationKind, detail: string) => void };

/** RFC 5321 section 4.5.3.1.4, CRLF included. */
const commandBytes = 512;
/** A line of this length without an end cannot come from our client, and is dropped. */
const hopelessBytes = 65_536;

// eslint-disable-next-line no-control-regex -- control bytes are what is looked for
const controlByte = /[\x00-\x1f\x7f]/;

/**
 * Cuts the client's bytes into lines, and reports bare line feeds, control bytes and lines over the limit. Text is
 * kept as latin1 until a line is whole.
 */
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
