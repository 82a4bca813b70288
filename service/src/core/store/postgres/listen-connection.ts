import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../connection.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresLimits } from './postgres-limits.ts';

/**
 * One connection that is kept up for what belongs to a session and not to a transaction: notices and the lock that
 * tells that a process lives. It is opened when it is first needed, and opened again whenever it is lost.
 */
export type ListenConnection = {
  /** Listens on a channel. `onNotice` is also called when the connection is back: what was said meanwhile is lost. */
  listen: (channel: string, onNotice: () => void) => () => void;
  /** Holds a lock of the session for as long as the connection is up. */
  hold: (lock: string) => void;
  letGo: (lock: string) => void;
  /** How long the connection has been up; 0 where it is not. */
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

  /** Ends when the connection does. */
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
      if (!/^[a-z_]{1,40}$/.test(channel)) throw new Error('a channel is a word in small letters');
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

/** Nobody else wants it, so there is nobody to wait for, unless the server still believes in a session of ours that is gone. */
function takeLock(lock: string): string {
  return `select pg_try_advisory_lock(${lock})`;
}

type NotifierParts = { connection: Pick<Connection, 'execute'>; limits: Pick<PostgresLimits, 'noticeGapMs'> };

/**
 * Says on a channel that there is something new. Whoever calls does not wait. The first notice is sent at once, because
 * somebody may wait for what it tells of; those that follow within the gap are one notice at its end: a notice says
 * nothing but "look", and one that is lost is made up for by those who look now and then anyway.
 */
export function createNotifier({ connection, limits }: NotifierParts): (channel: string) => void {
  /** The channels that were told of something within the last gap, and whether there is more to tell. */
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
