import type { Feature, StoreShare } from '../../core/feature.ts';
import { createEraser } from '../../core/upkeep/erase-in-slices.ts';
import { auditLists } from './audit-lists.ts';
import { abandonListsOf, eraseListSlice, rowsErasedAtOnce, tendLists } from './tend-lists.ts';
import type { ListHttp } from './list-actions.ts';

const store: StoreShare = {
  audit: auditLists,
  releaseOf: abandonListsOf,
  createSweep: ({ serialKey, ...parts }) => {
    const eraseLists = createEraser(eraseListSlice, { most: rowsErasedAtOnce, serialKey });
    return async () => {
      await tendLists(parts.wallClock.now(), parts);
      return eraseLists(parts);
    };
  },
};

export const listsFeature: Feature<ListHttp> = {
  name: 'lists',
  store,
  loadHttp: async () => (await import('./routes/lists-http.ts')).listsHttp,
};
