/** `./mailproof serve` as its user starts it, to be measured. */
import { serveMailproof, type Settings } from '../../../service/test/support/mailproof.ts';

type Mailproof = {
  pid: number;
  /** Where the API listens; 0 where the process is a worker only. */
  port: number;
  stop(): Promise<void>;
};

type Start = {
  role: 'api' | 'worker' | 'all';
  env: Settings;
  /** The log goes to this file, as it would under any supervisor; every request writes its line. */
  logFile: string;
};

export async function startMailproof({ role, env, logFile }: Start): Promise<Mailproof> {
  const { child, url, stop } = await serveMailproof({ through: 'script', role, env, logFile });
  return {
    pid: child.pid ?? 0,
    port: url === '' ? 0 : Number(new URL(url).port),
    async stop() {
      await stop();
    },
  };
}
