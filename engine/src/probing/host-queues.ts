import { createFairQueue, type FairQueue } from '../fair-queue.ts';
import type { Destination } from '../politeness/policy.ts';
import type { PendingProbe } from './pending-probe.ts';

/** A mail host at one address, the probes that wait for it, and the sessions with it. */
export type HostQueue = {
  readonly key: string;
  readonly destination: Destination;
  /** The egress address that should ask for the probes here, before any other. */
  readonly egress: string | undefined;
  readonly waiting: FairQueue<PendingProbe>;
  /** Probes that have to begin a conversation: none can join one. */
  readonly beginning: FairQueue<PendingProbe>;
  open: number;
  /** Sessions that have not yet been greeted, and so will still take probes that wait. */
  arriving: number;
  /** Set while the queue waits for the clock. */
  cancelTimer: (() => void) | undefined;
  /** Begins the sessions that may begin by then. */
  readonly dispatch: () => void;
};

/** The queues of all hosts with something waiting or open. */
export class HostQueues {
  private readonly queues = new Map<string, HostQueue>();

  /**
   * Returns the queue of a host, made if there is none. Each egress address has its own: its sessions are not
   * shared.
   */
  of(destination: Destination, egress: string | undefined, dispatch: (queue: HostQueue) => void): HostQueue {
    const { target } = destination;
    const key = `${target.address} ${target.host} ${egress ?? ''}`;
    const known = this.queues.get(key);
    if (known !== undefined) return known;
    const queue: HostQueue = {
      key,
      destination,
      egress,
      waiting: createFairQueue(),
      beginning: createFairQueue(),
      open: 0,
      arriving: 0,
      cancelTimer: undefined,
      dispatch: () => dispatch(queue),
    };
    this.queues.set(key, queue);
    return queue;
  }

  forgetIfIdle(queue: HostQueue): void {
    if (queue.open > 0 || queue.waiting.size() > 0 || queue.beginning.size() > 0) return;
    queue.cancelTimer?.();
    this.queues.delete(queue.key);
  }

  /** Counts the sessions with a machine, under any name. */
  openAt(address: string): number {
    let open = 0;
    for (const queue of this.queues.values())
      if (queue.destination.target.address === address) open += queue.open;
    return open;
  }

  counts(): { waiting: number; open: number } {
    const counts = { waiting: 0, open: 0 };
    for (const { waiting, beginning, open } of this.queues.values()) {
      counts.waiting += waiting.size() + beginning.size();
      counts.open += open;
    }
    return counts;
  }
}
