/** Stands in a request where each that is sent has a number of its own, of the same length. */
export const serialMark = '########';

type Asked = {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  body: unknown;
};

/** A request as bytes on the wire. All of it is ASCII, so characters are bytes. */
export function wireRequest({ method, path, key, body }: Asked): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    ...(text === '' ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
    '',
    text,
  ].join('\r\n');
}
