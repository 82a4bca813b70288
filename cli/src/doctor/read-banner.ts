import type { Socket } from 'node:net';
import type { Clock } from '@mailproof/engine';
import { printable } from '../present/printable.ts';

const bannerBytesMax = 2_048;

/** How long a host may take over its goodbye; nobody waits for it but the process that ends. */
const goodbyeMs = 2_000;

/** The first line a mail host says, after which it is told QUIT; nothing where none came in time. */
export async function readBanner(
  socket: Socket,
  { clock, deadline }: { clock: Clock; deadline: number },
): Promise<string | undefined> {
  const banner = await firstLine(socket, { clock, deadline });
  if (banner === undefined) {
    socket.destroy();
    return undefined;
  }
  socket.resume();
  const cancel = clock.after(goodbyeMs, () => socket.destroy());
  socket.once('close', cancel);
  socket.end('QUIT\r\n');
  return printable(banner);
}

function firstLine(
  socket: Socket,
  { clock, deadline }: { clock: Clock; deadline: number },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const cancel = clock.after(deadline - clock.now(), () => resolve(undefined));
    const settle = (line: string | undefined) => {
      cancel();
      resolve(line);
    };
    socket.on('error', () => settle(undefined));
    socket.on('close', () => settle(undefined));
    socket.on('data', (chunk: Buffer) => {
      if (text.length > bannerBytesMax) return;
      text += chunk.toString('latin1');
      const end = text.indexOf('\n');
      if (end >= 0) settle(text.slice(0, end).trimEnd());
      else if (text.length > bannerBytesMax) settle(undefined);
    });
    socket.resume();
  });
}
