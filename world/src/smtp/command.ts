/** A line of the client, taken apart as RFC 5321 section 4.1 writes commands. */
export type Command = {
  /** Upper case; the whole first word where it is no verb we know. */
  verb: string;
  line: string;
  /** Between the angle brackets of MAIL and RCPT. */
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
