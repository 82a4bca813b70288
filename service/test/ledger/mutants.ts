/**
 * Defects that the property test must find. Each changes the service's own statements, and any second guard that
 * would stop it.
 */
type Mutant = { name: string; rewrite: (sql: string) => string };

/**
 * A place for an argument in either database: `?` or `$1`. The replacement must still use it, and PostgreSQL must
 * know its type.
 */
const place = String.raw`(\?|\$\d+)`;
const used = (argument: string) => (argument === '?' ? '?' : `${argument}::text`);
const isNotNull = (_: string, argument: string) => `${used(argument)} is not null`;
const isNull = (_: string, argument: string) => `${used(argument)} is null`;

/** Returns a pattern for `text` with `?` in it, for either database. */
function pattern(text: string): RegExp {
  const literal = text.split('?').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(literal.join(place), 'g');
}

/** Replaces `what` in the statements that contain `where`. */
function change(
  where: string,
  what: string | RegExp,
  by: string | ((match: string, argument: string) => string),
): (sql: string) => string {
  const [here, there] = [pattern(where), typeof what === 'string' ? pattern(what) : what];
  // A replacement text may refer to groups; a function gets them as arguments.
  const replace = (sql: string) => (typeof by === 'string' ? sql.replace(there, by) : sql.replace(there, by));
  return (sql) => (sql.search(here) < 0 ? sql : replace(sql));
}

function all(...rewrites: ((sql: string) => string)[]): (sql: string) => string {
  return (sql) => rewrites.reduce((text, rewrite) => rewrite(text), sql);
}

/** Removes a trigger from the schema, so that the mutant has to be found by its effects. */
function without(trigger: string): (sql: string) => string {
  return (sql) => (sql.includes(`create trigger ${trigger} `) ? 'select 1' : sql);
}

const thirdOf = (sql: string) => (sql.includes('$3') ? '$3' : '?3');

const debit = 'set "available" = "available" - ?';
const answerItem = 'update "item" set "state" = ?';
const complete = 'update "task" set "status" = ?, "lease_owner" = ?';

export const mutants: Mutant[] = [
  { name: 'reserve without the guard', rewrite: change(debit, '"available" >= ?', isNotNull) },
  { name: 'let a frozen account pay', rewrite: change(debit, '"frozen_at" is null', '1 = 1') },
  { name: 'record without the fence', rewrite: change(answerItem, '"task"."fence" = ?', isNotNull) },
  { name: 'settle without the fence', rewrite: change(complete, '"fence" = ?', isNotNull) },
  {
    name: 'settle early',
    rewrite: all(
      change(complete, /not exists \(.*\)/g, '1 = 1'),
      change('create table task', `status <> 'completed' or checked = total`, '1 = 1'),
    ),
  },
  {
    name: 'charge all',
    rewrite: change('select count(*) as "items" from "item"', '"conclusive" = ?', isNotNull),
  },
  {
    name: 'lose what is released',
    rewrite: change(
      'set "reserved" = "reserved" - ?',
      '"available" = "available" + ?',
      '"granted" = "granted" - $1',
    ),
  },
  {
    name: 'settle without touching the account',
    rewrite: change(
      'set "reserved" = "reserved" - ?',
      '"touched_at" = ?',
      (_, argument) => `"touched_at" = case when ${used(argument)} is null then 0 else "touched_at" end`,
    ),
  },
  {
    name: 'settle twice',
    rewrite: all(change('update "hold" set', `"state" = 'open'`, '1 = 1'), without('hold_settled_once')),
  },
  {
    name: 'ignore idempotency',
    rewrite: all(
      change(
        'select "endpoint", "body_hash", "answer", "attempt" from "idempotency"',
        '"request_key" = ?',
        isNull,
      ),
      change('insert into "idempotency"', '"idempotency"."expires_at" <= ?', isNotNull),
    ),
  },
  { name: 'ignore the lease', rewrite: change('"task"', '"lease_until" <= ?', isNotNull) },
  {
    name: 'grant twice',
    rewrite: all(
      change('select "credits" from "entry"', '"op" = ?', isNull),
      change('create table entry', 'op text not null unique', 'op text not null'),
    ),
  },
  { name: 'release before the time', rewrite: change('from "hold" where', '"expires_at" <= ?', isNotNull) },
  {
    name: 'answer an address twice',
    rewrite: all(
      change(answerItem, '"state" = ? and', (_, argument) => `${used(argument)} is not null and`),
      without('item_answered_once'),
    ),
  },
  {
    name: 'write no entry for a charge',
    rewrite: (sql) =>
      change(
        'insert into "entry"',
        /values \(([^()]*)\)$/g,
        `select $1 where ${thirdOf(sql)} <> 'charge'`,
      )(sql),
  },
];
