import { Stop, type StopSignal } from './stop.ts';

/**
 * Signals of their own for many that one outer signal breaks off. A signal that a thousand listen to is looked through
 * at every step of each; here each has a small one, and a single listener on the outer signal passes its end on.
 */
export type OwnSignals = {
  /** Aborted from the start where the outer signal is; whoever begins must end. */
  begin(): Stop;
  end(own: Stop): void;
};

export function createOwnSignals(outer: StopSignal): OwnSignals {
  const underWay = new Set<Stop>();

  function passOn(): void {
    for (const own of underWay) own.abort(outer.reason);
  }

  return {
    begin() {
      const own = new Stop();
      if (outer.aborted) own.abort(outer.reason);
      else {
        if (underWay.size === 0) outer.addEventListener('abort', passOn);
        underWay.add(own);
      }
      return own;
    },
    end(own) {
      if (underWay.delete(own) && underWay.size === 0) outer.removeEventListener('abort', passOn);
    },
  };
}
