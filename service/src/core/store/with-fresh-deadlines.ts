import type { RequestStep, Store } from './store.ts';

/** The store for those who ask it once in a step of a request: every call has the time of a whole step. */
export function withFreshDeadlines(
  store: Pick<Store, 'withRequestDeadline'>,
  step: RequestStep,
): Pick<Store, 'read' | 'write'> {
  const fresh = () => store.withRequestDeadline(step);
  return {
    read: {
      all: (statement, args) => fresh().read.all(statement, args),
      first: (statement, args) => fresh().read.first(statement, args),
    },
    write: (operation, serialKey) => fresh().write(operation, serialKey),
  };
}
