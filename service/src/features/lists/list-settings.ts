import { duration, usually, wholeNumber, type Setting } from '../../core/config/setting.ts';

/** Limits on a list's size, its run, and the storage of an account's lists. */
type ListConfig = {
  listDeadlineMs: number;
  listMaxRows: number;
  listMaxBytes: number;
  listStorageBytes: number;
  listStorageFreeBytes: number;
};

declare module '../../core/config/config.ts' {
  interface Config extends ListConfig {}
}

const dayMs = 86_400_000;
const petabyte = 1_000_000_000_000_000;

export const listSettings: { readonly [Name in keyof ListConfig]: Setting<ListConfig[Name]> } = {
  listDeadlineMs: {
    names: ['MAILPROOF_LIST_DEADLINE_MS'],
    meaning: 'deadline of a list (24 hours by default)',
    ...usually(dayMs),
    ...duration(1_000, 30 * dayMs),
  },
  listMaxRows: {
    names: ['MAILPROOF_LIST_MAX_ROWS'],
    meaning: 'rows of the largest list',
    ...usually(1_000_000),
    ...wholeNumber(1, 10_000_000),
  },
  listMaxBytes: {
    names: ['MAILPROOF_LIST_MAX_BYTES'],
    meaning: 'bytes of the largest list (200 MB by default)',
    ...usually(200_000_000),
    ...wholeNumber(1_000, 2_000_000_000),
  },
  listStorageBytes: {
    names: ['MAILPROOF_LIST_STORAGE_BYTES'],
    meaning: 'bytes that the lists of an account may store; each row counts as another 100 (2 GB by default)',
    ...usually(2_000_000_000),
    ...wholeNumber(100_000, petabyte),
  },
  listStorageFreeBytes: {
    names: ['MAILPROOF_LIST_STORAGE_FREE_BYTES'],
    meaning: 'the same for an account that was never granted credits (50 MB by default)',
    ...usually(50_000_000),
    ...wholeNumber(100_000, petabyte),
  },
};
