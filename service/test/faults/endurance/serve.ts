import { launch, type Home, type Launched } from './launch.ts';

/** A service that listens. */
export type Serving = Launched & {
  url: string;
  /** Pulls the plug. */
  kill(): Promise<void>;
  /** Asks it to end, and answers with its exit code. */
  stop(): Promise<number | null>;
};

const startWithinMs = 60_000;

/** What it does; both, unless said. A worker listens nowhere and has an empty URL. */
type Role = 'all' | 'api' | 'worker';

export async function serve(home: Home, preload?: string, role: Role = 'all'): Promise<Serving> {
  const launched = launch(
    ['serve', '--role', role],
    { ...home, environment: { MAILPROOF_PORT: '0', ...home.environment } },
    preload,
  );
  const url = await listening(launched);
  return {
    ...launched,
    url,
    kill: async () => {
      launched.signal('SIGKILL');
      await launched.ended;
    },
    stop: () => {
      launched.signal('SIGTERM');
      return launched.ended;
    },
  };
}

const ready = /"url":"([^"]+)","msg":"listening"|"msg":"working"/;

function listening({ child, written, ended, signal }: Launched): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      signal('SIGKILL');
      reject(new Error(`the service ${why}: ${written().toString('utf8').slice(-2_000)}`));
    };
    const timer = setTimeout(() => fail('does not listen'), startWithinMs);
    void ended.then((code) => {
      clearTimeout(timer);
      fail(`ended with ${String(code)}`);
    });
    const look = () => {
      const [said, url = ''] = ready.exec(written().toString('utf8')) ?? [];
      if (said === undefined) return;
      clearTimeout(timer);
      child.stdout.off('data', look);
      resolve(url);
    };
    child.stdout.on('data', look);
  });
}
