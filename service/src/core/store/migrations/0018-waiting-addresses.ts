import type { Migration } from './migration.ts';

/**
 * The addresses of a new task wait in one row, and become items when the task is first claimed. A hundred rows, each with
 * its keys and checks, cost more than all else that taking a task in takes, and a task that waits has no use for them.
 *
 * The database makes them, in the statement that claims: so a worker of the version before finds them too, and no claim
 * is ever without its items.
 */
export const waitingAddresses: Migration = {
  version: 18,
  statements: ({ table, after, jsonValues }) => {
    const email = jsonValues('waiting_addresses.emails');
    return [
      `create table waiting_addresses (task_id text primary key references task (id), emails text not null) ${table}`,
      ...after({
        name: 'task_claimed_first',
        event: 'update',
        table: 'task',
        when: 'old.fence = 0 and new.fence > 0',
        statements: [
          `insert into item (task_id, position, email, state, attempts, visits, next_at, conclusive)
           select new.id, ${email.position}, ${email.value}, 'pending', 0, 0, new.next_at, 0
           from waiting_addresses, ${email.rows} where waiting_addresses.task_id = new.id`,
          `delete from waiting_addresses where task_id = new.id`,
        ],
      }),
    ];
  },
};
