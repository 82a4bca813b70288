/** Stands in a request where each that is sent has a number of its own, of the same length. */
export const serialMark = '########';

/** The first five digits of the same number, and the last three: a mailbox of many at a domain of many. */
export const mailboxMark = '^^^^^';
export const domainMark = '~~~';

type Asked = {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  body: unknown;
  /** The page of a browser that asks. */
  origin?: string;
};

/** A request as bytes on the wire. All of it is ASCII, so characters are bytes. */
export function wireRequest({ method, path, key, body, origin }: Asked): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ...(text === '' ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
    '',
    text,
  ].join('\r\n');
}

/** Puts a number where the marks are. */
export function withNumber(request: string): (number: number) => string {
  const pieces = request.split(/(#{8}|\^{5}|~{3})/);
  return (number) => {
    const serial = String(number).padStart(serialMark.length, '0');
    const values = new Map([
      [serialMark, serial],
      [mailboxMark, serial.slice(0, mailboxMark.length)],
      [domainMark, serial.slice(-domainMark.length)],
    ]);
    return pieces.map((piece) => values.get(piece) ?? piece).join('');
  };
}
