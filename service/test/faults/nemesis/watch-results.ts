import type { Installation } from './open-installation.ts';

/**
 * Looks over the shoulder of the workers, inside the database and past all of our own code: who tried to write about an
 * address, and who did. A statement that was refused by the fence changes no row, and is seen all the same.
 */
export type ResultWatch = {
  /** Addresses that got a result twice. */
  writtenTwice: () => Promise<number>;
  /** How often each process tried to write about an address, and how often it did. */
  byWriter: () => Promise<Map<string, { tried: number; wrote: number }>>;
};

export async function watchResults({ query }: Pick<Installation, 'query'>): Promise<ResultWatch> {
  await query(watching);
  return {
    writtenTwice: async () => {
      const [row] = await query(
        'select count(*)::int as twice from (select 1 from watched_result group by task_id, position having count(*) > 1) t',
      );
      return Number(row?.['twice']);
    },
    byWriter: async () => {
      const rows = await query(
        `select writer, count(*) filter (where kind = 'tried')::int as tried,
                count(*) filter (where kind = 'wrote')::int as wrote from watched_write group by writer`,
      );
      return new Map(
        rows.map(({ writer, tried, wrote }) => [
          String(writer),
          { tried: Number(tried), wrote: Number(wrote) },
        ]),
      );
    },
  };
}

const watching = `
create table watched_result (task_id text not null, position bigint not null);
create table watched_write (writer text not null, kind text not null);

create function watch_try() returns trigger language plpgsql as $$ begin
  insert into watched_write values (current_setting('application_name'), 'tried');
  return null;
end $$;

create function watch_write() returns trigger language plpgsql as $$ begin
  insert into watched_write values (current_setting('application_name'), 'wrote');
  return null;
end $$;

create function watch_result() returns trigger language plpgsql as $$ begin
  insert into watched_result values (new.task_id, new.position);
  return null;
end $$;

create trigger watch_try before update on item for each statement execute function watch_try();
create trigger watch_write after update on item for each row execute function watch_write();
create trigger watch_result after update of state on item for each row execute function watch_result();
`;
