/** The first free port on loopback from the wished one on, or 0, any, where a whole row of them is taken. */
import { createServer } from 'node:net';

const tries = 20;

export async function freePort(wished: number): Promise<number> {
  if (wished === 0) return 0;
  for (let port = wished; port < Math.min(wished + tries, 65_536); port += 1) {
    if (await isFree(port)) return port;
  }
  return 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
