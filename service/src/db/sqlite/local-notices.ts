import type { Store } from '../store.ts';

/** Notices within one process, for a store whose processes do not hear of each other. */
export function createLocalNotices(): Pick<Store, 'notify' | 'listen'> {
  const listeners = new Map<string, Set<() => void>>();
  return {
    notify: (channel) => listeners.get(channel)?.forEach((onNotice) => onNotice()),
    listen: (channel, onNotice) => {
      const all = listeners.get(channel) ?? new Set();
      listeners.set(channel, all.add(onNotice));
      return () => void all.delete(onNotice);
    },
  };
}
