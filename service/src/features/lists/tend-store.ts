import type { StoreShare } from '../../core/feature.ts';
import { createEraser } from '../../core/upkeep/erase-in-slices.ts';
import { auditLists } from './audit-lists.ts';
import { abandonListsOf, eraseListSlice, rowsErasedAtOnce, tendLists } from './tend-lists.ts';

export const listsInStore: StoreShare = {
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
