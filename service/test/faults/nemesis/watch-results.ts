import type { Installation } from './open-installation.ts';

/**
 * Observes the writes of workers inside the database, independently of our own code: attempted and successful
 * writes about each address. A statement that the fence refused changes no row, and is seen all the same.
 */
export type ResultWatch = {
  /** Returns the addresses that got two results. */
  writtenTwice: () => Promise<number>;
  /** Returns how often each process tried to write about an address, and how often it succeeded. */
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
