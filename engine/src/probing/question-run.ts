import type { Clock } from '../clock.ts';
import { lateEvidence, type MailboxEvidence } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import { Stop, type Patience } from '../patience.ts';
import { withItem } from '../with-item.ts';

/** One way in which a question is being asked, and the callers that wait for it. */
export class Run {
  readonly asker: Asker;
  readonly deadline: number;
  /** When it began, and then when a mail host was named the mailbox. */
  askedAt: number;
  isNamed = false;
  isOver = false;
  private callers: readonly Caller[] = [];
  private readonly stop = new Stop();
  /** Set if its first caller may withdraw. */
  private readonly withdrawal: Stop | undefined;

  constructor(asker: Asker, { deadline, withdrawn }: Patience, now: number) {
    this.asker = asker;
    this.deadline = deadline;
    this.askedAt = now;
    this.withdrawal = withdrawn && new Stop();
  }

  patience(): Patience {
    const { deadline, stop, withdrawal } = this;
    const { signal } = stop;
    return withdrawal === undefined
      ? { deadline, signal }
      : { deadline, signal, withdrawn: withdrawal.signal };
  }

  /** Whether a caller may still wait for it. */
  isOpen(): boolean {
    return !this.isOver && !this.stop.signal.aborted && this.withdrawal?.signal.aborted !== true;
  }

  add(caller: Caller): void {
    this.callers = withItem(this.callers, caller);
  }

  /** Removes a caller that waits no longer. A run without callers is ended. */
  remove(caller: Caller): void {
    this.callers = this.callers.filter((other) => other !== caller);
    if (this.isOver) return;
    if (this.callers.length === 0) this.stop.abort(everybodyLeft);
    else this.heedWithdrawals();
  }

  /** Begins no conversation if all callers have withdrawn; an answer that is owed is awaited. */
  heedWithdrawals(): void {
    if (this.callers.some(({ isWanted }) => isWanted)) return;
    const why = this.callers.at(-1)?.whyWithdrawn();
    if (this.withdrawal !== undefined) this.withdrawal.abort(why);
    else if (!this.isNamed) this.stop.abort(why);
  }

  /** Has the callers wait for another run from now on, and leaves the queue. */
  giveCallersTo(run: Run): void {
    if (this.isOver || run === this) return;
    for (const caller of this.callers) caller.waitFor(run);
    this.callers = [];
    this.stop.abort(answeredElsewhere);
  }

  /** Tells every caller how it ended. */
  tell(how: (caller: Caller) => void): void {
    const { callers } = this;
    this.callers = [];
    callers.forEach(how);
  }
}

/** A caller that waits for a run, as long as its patience lasts. */
export class Caller {
  run: Run;
  /** Whether it has not withdrawn. */
  isWanted = true;
  private readonly patience: Patience;
  private readonly clock: Clock;
  private readonly told = Promise.withResolvers<MailboxEvidence>();
  private cancelTimer: (() => void) | undefined;

  constructor(run: Run, patience: Patience, clock: Clock) {
    this.run = run;
    this.patience = patience;
    this.clock = clock;
    patience.signal.addEventListener('abort', this.leave);
    patience.withdrawn?.addEventListener('abort', this.withdraw);
    run.add(this);
  }

  get heard(): Promise<MailboxEvidence> {
    return this.told.promise;
  }

  whyWithdrawn(): unknown {
    return this.patience.withdrawn?.reason;
  }

  waitFor(run: Run): void {
    this.run = run;
    run.add(this);
    this.heedDeadline();
  }

  heedDeadline(): void {
    const { clock, patience } = this;
    this.cancelTimer ??= clock.after(patience.deadline - clock.now(), () => {
      this.run.remove(this);
      this.hear(lateEvidence);
    });
  }

  hear(evidence: MailboxEvidence): void {
    this.stopWaiting();
    this.told.resolve(evidence);
  }

  fail(error: unknown): void {
    this.stopWaiting();
    this.told.reject(error);
  }

  private readonly leave = (): void => {
    this.run.remove(this);
    this.fail(this.patience.signal.reason);
  };

  private readonly withdraw = (): void => {
    this.isWanted = false;
    this.run.heedWithdrawals();
  };

  private stopWaiting(): void {
    const { signal, withdrawn } = this.patience;
    this.cancelTimer?.();
    signal.removeEventListener('abort', this.leave);
    withdrawn?.removeEventListener('abort', this.withdraw);
  }
}

const answeredElsewhere = new Error('another caller asks for the same mailbox');
const everybodyLeft = new Error('all callers have left');
