import type { Migration } from './migration.ts';

/** Which domain was most likely meant: of a list, before it is started, and of each of its rows, once it is answered. */
export const didYouMean: Migration = {
  version: 8,
  statements: () => [
    `alter table list add column suggestions text`,
    `alter table list_row add column did_you_mean text`,
  ],
};
