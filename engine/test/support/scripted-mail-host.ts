import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A mail host at the other end of a fake socket: it answers at once, so a conversation with it takes no time on a
 * test's clock. `answer` returns its reply to a recipient.
 */
export function scriptedMailHost(answer: (recipient: string) => string): Socket {
  const host = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      for (const line of bytes.toString().split('\r\n').slice(0, -1)) host.push(`${replyTo(line)}\r\n`);
      done();
    },
  });
  function replyTo(line: string): string {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return '250-mx.test\r\n250 PIPELINING';
      case 'RCPT':
        return answer(/<(.*)>/.exec(line)?.[1] ?? '');
      case 'QUIT':
        return '221 2.0.0 Bye';
      default:
        return '250 2.0.0 Ok';
    }
  }
  host.push('220 mx.test ESMTP\r\n');
  // Only the stream of the socket is used, and the address it leaves from.
  return Object.assign(host, { localAddress: '192.0.2.200' }) as unknown as Socket;
}
