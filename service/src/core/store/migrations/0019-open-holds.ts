import type { Migration } from './migration.ts';
import type { SchemaWords } from '../dialect.ts';

/**
 * What the periodic audit compares with, so that it need not add up all that is open: the credits in open holds of tasks
 * and lists, by account. The database keeps the sum in the statement that changes a hold, whichever program runs it, so
 * that it follows the holds and not the ledger. Holds of single requests are few, and not in it.
 *
 * And indexes that lead from an account to those of its lists that an audit looks at.
 */
export const openHolds: Migration = {
  version: 19,
  statements: (words) => [...sums(words), ...indexes],
};

const isOpen = (hold: 'old' | 'new') => `(${hold}.state = 'open' and ${hold}.expires_at is null)`;
const openCredits = (hold: 'old' | 'new') => `case when ${isOpen(hold)} then ${hold}.credits else 0 end`;

function sums({ integer, table, after }: SchemaWords): string[] {
  const add = (account: string, credits: string) =>
    `insert into open_task_credits (account_id, credits) values (${account}, ${credits})
     on conflict (account_id) do update set credits = open_task_credits.credits + excluded.credits`;
  return [
    `create table open_task_credits (
      account_id text primary key references account (id), credits ${integer} not null
    ) ${table}`,
    ...after({
      name: 'task_hold_opened',
      event: 'insert',
      table: 'hold',
      when: isOpen('new'),
      statements: [add('new.account_id', 'new.credits')],
    }),
    ...after({
      name: 'task_hold_changed',
      event: 'update',
      table: 'hold',
      when: `${isOpen('old')} <> ${isOpen('new')} or (${isOpen('new')} and old.credits <> new.credits)`,
      statements: [add('new.account_id', `${openCredits('new')} - ${openCredits('old')}`)],
    }),
    // After the triggers, which lock the table: what other programs have opened is committed by now, and counted here.
    `insert into open_task_credits (account_id, credits)
     select account_id, cast(sum(credits) as ${integer}) from hold
     where state = 'open' and expires_at is null group by account_id`,
  ];
}

const indexes = [
  `create index list_hold on list (account_id, hold_id) where hold_id is not null`,
  `create index list_not_ended on list (account_id, created_at, id) where ended_at is null`,
  `create index list_ended on list (account_id, ended_at, id) where ended_at is not null`,
];
