import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../connection.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresLimits } from './postgres-limits.ts';

/**
 * One permanent connection for features of a session: notices, and the lock that shows that a process is alive. It
 * is opened on first use, and again whenever it is lost.
 */
export type ListenConnection = {
  /** Listens on a channel. `onNotice` is also called after a reconnect, because notices in between are lost. */
  listen: (channel: string, onNotice: () => void) => () => void;
  /** Holds a session lock while the connection is up. */
  hold: (lock: string) => void;
  letGo: (lock: string) => void;
  /** How long the connection has been up; 0 while it is down. */
  upMs: () => number;
  close: () => void;
};

type ListenConnectionParts = {
  connect: () => Promise<PostgresConnection>;
  limits: Pick<PostgresLimits, 'retryMs'>;
};

export function createListenConnection({ connect, limits }: ListenConnectionParts): ListenConnection {
  const listeners = new Map<string, Set<() => void>>();
  const locks = new Set<string>();
  const ended = new AbortController();
  let connection: PostgresConnection | undefined;
  let upSince = 0;
  let started = false;

  const tell = (channel: string) => listeners.get(channel)?.forEach((onNotice) => onNotice());
  const send = (sql: string) => void connection?.execute(sql, []).catch(() => connection?.cut());

  async function keepUp(): Promise<void> {
    while (!ended.signal.aborted) {
      await connectOnce().catch(() => undefined);
      await sleep(limits.retryMs, undefined, { ref: false });
    }
  }

  /** Connects, and returns when the connection ends. */
  async function connectOnce(): Promise<void> {
    const fresh = await connect();
    const gone = new Promise<void>((resolve) => fresh.onEnd(resolve));
    fresh.onNotice(tell);
    connection = fresh;
    upSince = performance.now();
    for (const lock of locks) send(takeLock(lock));
    for (const channel of listeners.keys()) send(`listen ${channel}`);
    for (const channel of listeners.keys()) tell(channel);
    if (ended.signal.aborted) fresh.cut();
    await gone;
    connection = undefined;
  }

  function start(): void {
    if (!started) void keepUp();
    started = true;
  }

  return {
    listen: (channel, onNotice) => {
      if (!/^[a-z_]{1,40}$/.test(channel)) throw new Error('a channel must be a lower-case word');
      const known = listeners.get(channel);
      if (known === undefined) send(`listen ${channel}`);
      const all = known ?? new Set();
      listeners.set(channel, all.add(onNotice));
      start();
      return () => void all.delete(onNotice);
    },
    hold: (lock) => {
      locks.add(lock);
      send(takeLock(lock));
      start();
    },
    letGo: (lock) => {
      locks.delete(lock);
      send(`select pg_advisory_unlock(${lock})`);
    },
    upMs: () => (connection === undefined ? 0 : performance.now() - upSince),
    close: () => ended.abort(),
  };
}

/**
 * Returns the SQL that takes a lock. No other process wants this lock, so it waits only if the server still keeps a
 * lost session of ours.
 */
function takeLock(lock: string): string {
  return `select pg_try_advisory_lock(${lock})`;
}

type NotifierParts = { connection: Pick<Connection, 'execute'>; limits: Pick<PostgresLimits, 'noticeGapMs'> };

/**
 * Sends notices on a channel without making the caller wait. The first notice is sent at once, because a worker may
 * be waiting for it. Further notices within the gap become one notice at its end. A notice only says "look"; if it
 * is lost, the regular polls of the listeners make up for it.
 */
export function createNotifier({ connection, limits }: NotifierParts): (channel: string) => void {
  /** Channels with a notice in the last gap, and whether another is due. */
  const told = new Map<string, { more: boolean }>();

  function tell(channel: string): void {
    const state = { more: false };
    told.set(channel, state);
    connection.execute(`select pg_notify($1, '')`, [channel]).catch(() => undefined);
    setTimeout(() => {
      told.delete(channel);
      if (state.more) tell(channel);
    }, limits.noticeGapMs).unref();
  }

  return (channel) => {
    const state = told.get(channel);
    if (state === undefined) tell(channel);
    else state.more = true;
  };
}
