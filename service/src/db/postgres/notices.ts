import type { Connection } from '../connection.ts';
import type { PostgresLimits } from './postgres-limits.ts';

type NoticesParts = { connection: Pick<Connection, 'execute'>; limits: Pick<PostgresLimits, 'noticeGapMs'> };

/**
 * Says on a channel that there is something new. Whoever calls does not wait, and many calls in a row are one notice: a
 * notice says nothing but "look", and one that is lost is made up for by those who look now and then anyway.
 */
export function createNotices({ connection, limits }: NoticesParts): (channel: string) => void {
  const waiting = new Map<string, NodeJS.Timeout>();
  return (channel) => {
    if (waiting.has(channel)) return;
    const timer = setTimeout(() => {
      waiting.delete(channel);
      connection.execute(`select pg_notify($1, '')`, [channel]).catch(() => undefined);
    }, limits.noticeGapMs);
    waiting.set(channel, timer.unref());
  };
}
