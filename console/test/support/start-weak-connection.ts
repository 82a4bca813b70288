/**
 * A connection between browser and service that can be cut: open connections break, and new ones are refused until it
 * is mended. It can also swallow answers: the service handles the request, but the page gets no answer.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

type WeakConnection = {
  /** The origin for the browser. */
  origin: string;
  cut(): void;
  /** Requests pass, answers do not: each connection breaks at its answer. */
  swallowAnswers(): void;
  mend(): void;
  stop(): Promise<void>;
};

type State = 'whole' | 'cut' | 'swallowing';

export async function startWeakConnection(serviceUrl: string): Promise<WeakConnection> {
  const { hostname, port } = new URL(serviceUrl);
  const open = new Set<Socket>();
  let state: State = 'whole';

  const server = createServer((near) => {
    open.add(near);
    if (state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(port), hostname);
    near.pipe(far);
    far.on('data', (answer: Buffer) => {
      if (state !== 'swallowing') return void near.write(answer);
      near.resetAndDestroy();
    });
    far.on('end', () => near.end());
    far.on('close', () => near.destroy());
    near.on('close', () => {
      open.delete(near);
      far.destroy();
    });
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const breakAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      state = 'cut';
      breakAll();
    },
    swallowAnswers() {
      state = 'swallowing';
    },
    mend() {
      state = 'whole';
    },
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
