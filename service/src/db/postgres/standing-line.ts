import { setTimeout as sleep } from 'node:timers/promises';
import type { Circuit } from './circuit.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { PostgresLine } from './postgres-line.ts';

/**
 * One line that is kept up for what belongs to a session and not to a transaction: notices and the lock that tells
 * that a process lives. It is opened when it is first needed, and opened again whenever it is lost.
 */
export type StandingLine = {
  /** Listens on a channel. `onNotice` is also called when the line is back: what was said meanwhile is lost. */
  listen: (channel: string, onNotice: () => void) => () => void;
  /** Holds a lock of the session for as long as the line is up. */
  hold: (lock: string) => void;
  letGo: (lock: string) => void;
  /** How long the line has been up; 0 where it is not. */
  upMs: () => number;
  close: () => void;
};

type StandingLineParts = { circuit: Pick<Circuit, 'connect'>; limits: Pick<PostgresLimits, 'retryMs'> };

export function createStandingLine({ circuit, limits }: StandingLineParts): StandingLine {
  const listeners = new Map<string, Set<() => void>>();
  const locks = new Set<string>();
  const ended = new AbortController();
  let line: PostgresLine | undefined;
  let upSince = 0;
  let started = false;

  const tell = (channel: string) => listeners.get(channel)?.forEach((onNotice) => onNotice());
  const say = (sql: string) => void line?.execute(sql, []).catch(() => line?.cut());

  async function keepUp(): Promise<void> {
    while (!ended.signal.aborted) {
      await standUp().catch(() => undefined);
      await sleep(limits.retryMs, undefined, { ref: false });
    }
  }

  /** Ends when the line does. */
  async function standUp(): Promise<void> {
    const fresh = await circuit.connect();
    const gone = new Promise<void>((resolve) => fresh.onEnd(resolve));
    fresh.onNotice(tell);
    line = fresh;
    upSince = performance.now();
    for (const lock of locks) say(takeLock(lock));
    for (const channel of listeners.keys()) say(`listen ${channel}`);
    for (const channel of listeners.keys()) tell(channel);
    if (ended.signal.aborted) fresh.cut();
    await gone;
    line = undefined;
  }

  function start(): void {
    if (!started) void keepUp();
    started = true;
  }

  return {
    listen: (channel, onNotice) => {
      if (!/^[a-z_]{1,40}$/.test(channel)) throw new Error('a channel is a word in small letters');
      const known = listeners.get(channel);
      if (known === undefined) say(`listen ${channel}`);
      const all = known ?? new Set();
      listeners.set(channel, all.add(onNotice));
      start();
      return () => void all.delete(onNotice);
    },
    hold: (lock) => {
      locks.add(lock);
      say(takeLock(lock));
      start();
    },
    letGo: (lock) => {
      locks.delete(lock);
      say(`select pg_advisory_unlock(${lock})`);
    },
    upMs: () => (line === undefined ? 0 : performance.now() - upSince),
    close: () => ended.abort(),
  };
}

/** Nobody else wants it, so there is nobody to wait for, unless the server still believes in a line of ours that is gone. */
function takeLock(lock: string): string {
  return `select pg_try_advisory_lock(${lock})`;
}
