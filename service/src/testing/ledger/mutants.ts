/** Defects that the property test must find. Each changes the service's own statements, and what else would stop it. */
type Mutant = { name: string; rewrite: (sql: string) => string };

const unguarded = '? is not null';

/** Replaces `what` in the statements that hold `where`. */
function change(where: string, what: string | RegExp, by: string): (sql: string) => string {
  return (sql) => (sql.includes(where) ? sql.replaceAll(what, by) : sql);
}

function all(...rewrites: ((sql: string) => string)[]): (sql: string) => string {
  return (sql) => rewrites.reduce((text, rewrite) => rewrite(text), sql);
}

/** Takes a trigger out of the schema, so that the mutant has to be found by what it does. */
function without(trigger: string): (sql: string) => string {
  return (sql) => (sql.includes(`create trigger ${trigger} `) ? 'select 1' : sql);
}

const debit = 'set "available" = "available" - ?';
const answerItem = 'update "item" set "state" = ?';
const complete = 'update "task" set "status" = ?, "lease_owner" = ?';

export const mutants: Mutant[] = [
  { name: 'reserve without the guard', rewrite: change(debit, '"available" >= ?', unguarded) },
  { name: 'record without the fence', rewrite: change(answerItem, '"task"."fence" = ?', unguarded) },
  { name: 'settle without the fence', rewrite: change(complete, '"fence" = ?', unguarded) },
  {
    name: 'settle early',
    rewrite: all(
      change(complete, /not exists \(.*\)/g, '1 = 1'),
      change('create table task', `status <> 'completed' or checked = total`, '1 = 1'),
    ),
  },
  {
    name: 'charge all',
    rewrite: change('select count(*) as "items" from "item"', '"conclusive" = ?', unguarded),
  },
  {
    name: 'lose what is released',
    rewrite: change(
      'set "reserved" = "reserved" - ?',
      '"available" = "available" + ?',
      '"granted" = "granted" - ?',
    ),
  },
  {
    name: 'settle twice',
    rewrite: all(change('update "hold" set', `"state" = 'open'`, '1 = 1'), without('hold_settled_once')),
  },
  {
    name: 'ignore idempotency',
    rewrite: all(
      change('select "endpoint", "body_hash", "answer" from "idempotency"', '"request_key" = ?', '? is null'),
      change('insert into "idempotency"', '"idempotency"."expires_at" <= ?', unguarded),
    ),
  },
  { name: 'ignore the lease', rewrite: change('"task"', '"lease_until" <= ?', unguarded) },
  {
    name: 'grant twice',
    rewrite: all(
      change('select "credits" from "entry"', '"op" = ?', '? is null'),
      change('create table entry', 'op text not null unique', 'op text not null'),
    ),
  },
  { name: 'release before the time', rewrite: change('from "hold" where', '"expires_at" <= ?', unguarded) },
  {
    name: 'answer an address twice',
    rewrite: all(change(answerItem, '"state" = ? and', `? is not null and`), without('item_answered_once')),
  },
  {
    name: 'write no entry for a charge',
    rewrite: change('insert into "entry"', /values \((.*)\)$/g, `select $1 where ?3 <> 'charge'`),
  },
];
