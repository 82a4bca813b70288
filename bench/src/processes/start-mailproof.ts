/** `./mailproof` as its user starts it: a command that answers, or a process that serves and is measured. */
import { resolve } from 'node:path';
import {
  runCommand,
  serveMailproof,
  type Row,
  type Settings,
} from '../../../service/test/support/mailproof.ts';

type Mailproof = {
  pid: number;
  /** Where the API listens; 0 where the process is a worker only. */
  port: number;
  stop(): Promise<void>;
};

type Start = {
  role: 'api' | 'worker' | 'all';
  env: Settings;
  /** The checkout whose `./mailproof` is started; this one, if none is named. */
  checkout?: string | undefined;
  /** The log goes to this file, as it would under any supervisor; every request writes its line. */
  logFile: string;
};

export async function startMailproof({ role, env, checkout, logFile }: Start): Promise<Mailproof> {
  const { child, url, stop } = await serveMailproof({
    through: 'script',
    role,
    env,
    logFile,
    checkout: checkout === undefined ? undefined : resolve(checkout),
  });
  return {
    pid: child.pid ?? 0,
    port: url === '' ? 0 : Number(new URL(url).port),
    async stop() {
      await stop();
    },
  };
}

export function runMailproof(args: string[], env: Settings, checkout?: string): Promise<Row> {
  return runCommand(args, env, checkout === undefined ? {} : { checkout: resolve(checkout) });
}
