import type { RequestStep, Store } from './store.ts';

/** The store for those who ask it once in a step of a request: every call has the time of a step. */
export function eachHurried(store: Pick<Store, 'hurried'>, step: RequestStep): Pick<Store, 'read' | 'write'> {
  return {
    read: {
      all: (statement, args) => store.hurried(step).read.all(statement, args),
      first: (statement, args) => store.hurried(step).read.first(statement, args),
    },
    write: (operation, lane) => store.hurried(step).write(operation, lane),
  };
}
