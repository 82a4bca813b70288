import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Surroundings } from '../command.ts';

/**
 * Messages to the service manager that started the process (sd_notify of systemd): ready, alive, stopping. The
 * manager says by `NOTIFY_SOCKET` that it listens, and by `WATCHDOG_USEC` how soon a process that went silent is
 * taken for hung and started anew. Its socket takes datagrams, which Node does not send to Unix sockets, so systemd's
 * own program does it; that one waits until the message was taken.
 */
type SystemdNotifier = {
  /** From here on it also hears at intervals that our event loop turns. */
  ready: (status: string) => Promise<void>;
  stopping: () => Promise<void>;
};

const program = 'systemd-notify';
const run = promisify(execFile);

/** Longer than a busy manager takes, and shorter than it waits for us to stop. */
const messageMs = 10_000;

export function createSystemdNotifier({
  env,
  terminal,
}: Pick<Surroundings, 'env' | 'terminal'>): SystemdNotifier {
  const { NOTIFY_SOCKET: socket = '', PATH: path = '' } = env;
  let hasFailed = false;
  async function tell(...assignments: string[]): Promise<void> {
    if (socket === '' || hasFailed) return;
    try {
      await run(program, assignments, { env: { NOTIFY_SOCKET: socket, PATH: path }, timeout: messageMs });
    } catch (error) {
      hasFailed = true;
      const why = error instanceof Error ? error.message.trim().replaceAll(/\s*\n\s*/g, '; ') : String(error);
      terminal.tell(
        `mailproof: the service manager could not be told (${why}). It is not told anything more.`,
      );
    }
  }
  return {
    async ready(status) {
      await tell('READY=1', `STATUS=${status}`);
      const everyMs = watchdogMs(env);
      // Twice in each span, as sd_watchdog_enabled(3) advises.
      if (everyMs !== undefined) setInterval(() => void tell('WATCHDOG=1'), everyMs / 2).unref();
    },
    stopping: () => tell('STOPPING=1', 'STATUS=draining: open requests are answered, tasks are handed back'),
  };
}

/** A process that inherited the variable without being the one that is watched keeps out of it. */
function watchdogMs({
  WATCHDOG_USEC: span = '',
  WATCHDOG_PID: watched = '',
}: Surroundings['env']): number | undefined {
  if (!/^\d{1,15}$/.test(span) || Number(span) === 0) return undefined;
  return watched === '' || watched === String(process.pid) ? Number(span) / 1_000 : undefined;
}
