/** How far a run is. */
export type ManyProgress = {
  /** Addresses taken from the list so far. */
  read: number;
  /** Addresses answered, rejected ones included, and those checked inside tasks that still run. */
  answered: number;
  /** Credits charged for completed tasks. */
  creditsUsed: number;
};

/** Counts what a run has done, and reports it. */
export type RunProgress = ReturnType<typeof createRunProgress>;

export function createRunProgress(onProgress: ((progress: ManyProgress) => void) | undefined) {
  const counts = { read: 0, answered: 0, creditsUsed: 0 };
  let inside = 0;
  const tell = () => onProgress?.({ ...counts, answered: counts.answered + inside });
  return {
    read(count: number) {
      counts.read += count;
    },
    complete(count: number, credits: number) {
      counts.answered += count;
      counts.creditsUsed += credits;
      tell();
    },
    /** Counts what a task that runs has checked, until it ends and is counted whole. */
    follow() {
      let seen = 0;
      const set = (count: number) => {
        inside += count - seen;
        seen = count;
      };
      return {
        checked(count: number) {
          set(count);
          tell();
        },
        end: () => set(0),
      };
    },
  };
}
