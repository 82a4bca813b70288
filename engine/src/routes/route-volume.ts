import type { Clock } from '../clock.ts';
import type { RouteSetting } from '../politeness/policy.ts';

/**
 * The volume that may leave over one route: connections in any minute, and in a day. Both limits are off unless set.
 * A day is a day of UTC by the wall clock, so that its count survives a restart. A minute is any sixty seconds of
 * the engine's clock, and starts anew with the process.
 *
 * A route that warms up begins with `startPerDay` on the day of its first use and doubles every `doubleEveryDays`
 * days until it meets `perDay`. Days of rest count. The other side minds how suddenly the volume grows from the
 * volume it has seen, so a first use is never forgotten.
 *
 * The volume of other processes on the same day counts as well, as far as they have told.
 */
export type VolumeState = {
  /** Days since 1970, UTC. */
  day: number;
  openedToday: number;
  connectedToday: number;
  firstUsedDay: number | undefined;
};

export type RouteVolume = {
  /** Milliseconds until the next connection fits; 0 means now. */
  minuteWaitMs(): number;
  dayWaitMs(): number;
  /** Counts one more connection that was begun; the limits apply to these. */
  opened(): void;
  /** Counts a connection that came about. */
  connected(): void;
  /** The limit for today; Infinity if none was set. */
  dayLimit(): number;
  /** The volume of all processes. */
  state(): VolumeState;
  /** The volume of this process. */
  own(): VolumeState;
  /** Restores the volume of another process, or of one before a restart; the latest figure of each counts. */
  restore(state: VolumeState, countedBy?: string): void;
};

/** Other processes whose counts of the day are remembered. */
const mostOthers = 1_000;

export type WallClock = {
  /** Milliseconds since 1970, UTC. */
  now(): number;
};

type Volume = Pick<RouteSetting, 'perMinute' | 'perDay'> & { warmUp?: RouteSetting['warmUp'] | undefined };

const minuteMs = 60_000;
const dayMs = 86_400_000;

export function createRouteVolume(
  volume: Volume,
  parts: { clock: Clock; wallClock: WallClock },
): RouteVolume {
  const { clock, wallClock } = parts;
  // The times of the last `perMinute` connections, in a ring: the next one takes the place of the oldest.
  const times: number[] = [];
  const others = new Map<string, VolumeState>();
  let next = 0;
  let state = unusedOn(dayOf(wallClock));

  /** Begins a day. A wall clock that is set back must not begin the same day twice. */
  function beginDay(day = dayOf(wallClock)): void {
    if (day <= state.day) return;
    state = { ...state, day, openedToday: 0, connectedToday: 0 };
    forgetEarlierDays();
  }
  function forgetEarlierDays(): void {
    for (const [by, { day }] of others) if (day < state.day) others.delete(by);
  }
  function total(count: 'openedToday' | 'connectedToday'): number {
    return others.values().reduce((sum, other) => sum + other[count], state[count]);
  }
  function dayLimit(): number {
    beginDay();
    const { perDay = Infinity, warmUp } = volume;
    if (warmUp === undefined) return perDay;
    const days = state.day - (state.firstUsedDay ?? state.day);
    return Math.min(perDay, warmUp.startPerDay * 2 ** Math.floor(days / warmUp.doubleEveryDays));
  }

  return {
    minuteWaitMs() {
      const oldest = times[next];
      return oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - clock.now());
    },
    dayWaitMs() {
      const limit = dayLimit();
      const hasRoom = limit === Infinity || total('openedToday') < limit;
      return hasRoom ? 0 : (state.day + 1) * dayMs - wallClock.now();
    },
    opened() {
      beginDay();
      state.openedToday += 1;
      state.firstUsedDay ??= state.day;
      if (volume.perMinute === undefined) return;
      times[next] = clock.now();
      next = (next + 1) % volume.perMinute;
    },
    connected() {
      beginDay();
      state.connectedToday += 1;
    },
    dayLimit,
    state() {
      beginDay();
      return { ...state, openedToday: total('openedToday'), connectedToday: total('connectedToday') };
    },
    own() {
      beginDay();
      return { ...state };
    },
    restore(heard, countedBy = '') {
      const { day, firstUsedDay = Infinity } = heard;
      const first = Math.min(state.firstUsedDay ?? Infinity, firstUsedDay);
      // A day that is still to come by this clock has begun by another's; no volume may be handed out twice.
      beginDay(day);
      if (Number.isFinite(first)) state.firstUsedDay = first;
      if (others.size < mostOthers || others.has(countedBy)) others.set(countedBy, heard);
      beginDay();
      forgetEarlierDays();
    },
  };
}

function dayOf(wallClock: WallClock): number {
  return Math.floor(wallClock.now() / dayMs);
}

function unusedOn(day: number): VolumeState {
  return { day, openedToday: 0, connectedToday: 0, firstUsedDay: undefined };
}
