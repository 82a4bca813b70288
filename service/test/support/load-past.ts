/**
 * The past of an account: completed tasks, each with its hold, entries and addresses, in SQL for both databases.
 * The database itself makes them, so a million take a minute and not an hour. The books balance.
 */
export type Past = {
  accountId: string;
  tasks: number;
  addressesInTask: number;
  /** When the first task was created; the others follow a second apart. */
  startedAt: number;
  /** When they are erased. */
  expiresAt: number;
};

const first = 100_000_000_000;

/** Ids of the past end in twelve digits, so that the tables can refer to each other. */
const idOf = (kind: string) => `'${kind}0000-0000-7000-8000-' || cast(${first} + i as text)`;

/** Returns a prefix, so that several accounts can have a past. */
function kindOf({ accountId }: Pick<Past, 'accountId'>): string {
  return accountId.slice(0, 4);
}

const explanation = JSON.stringify({
  stage: 'smtp',
  reason: 'mailbox_exists',
  retry: { advised: false },
  mail_host: 'mx.example.com',
  replies: [
    { command: 'RCPT TO', code: 250, enhanced: '2.1.5', text: 'recipient ok' },
    { command: 'RCPT TO (made-up address)', code: 550, enhanced: '5.1.1', text: 'no such user here' },
  ],
  timings_ms: { dns: 12, connect: 30, smtp: 150, total: 192 },
});

const verdict = JSON.stringify({
  status: 'safe',
  overall_score: 97,
  is_safe_to_send: true,
  is_deliverable: true,
});

export function pastSql(past: Past): string[] {
  const { accountId, tasks, addressesInTask: size, startedAt, expiresAt } = past;
  const id = idOf(kindOf(past));
  const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${tasks})`;
  const positions = `p (position) as (select 0 union all select position + 1 from p where position < ${size - 1})`;
  const spent = tasks * size;
  const at = `cast(${startedAt} as bigint) + i * 1000`;
  return [
    `insert into account (id, name, plan, granted, available, reserved, spent, entries, touched_at, created_at)
     values ('${accountId}', 'past', 'paid', ${spent + 1_000_000}, 1000000, 0, ${spent}, ${2 * tasks + 1},
             ${startedAt}, ${startedAt})`,
    `${numbers} insert into hold (account_id, id, credits, state, charged, released, opened_at)
     select '${accountId}', ${id}, ${size}, 'settled', ${size}, 0, ${at} from n`,
    `insert into entry (account_id, number, kind, credits, op, at)
     values ('${accountId}', 1, 'grant', ${spent + 1_000_000}, 'grant:${accountId}', ${startedAt})`,
    `${numbers} insert into entry (account_id, number, kind, credits, op, hold_id, at)
     select '${accountId}', 2 * i, 'reserve', ${size}, 'reserve:' || ${id}, ${id}, ${at} from n`,
    `${numbers} insert into entry (account_id, number, kind, credits, op, hold_id, at)
     select '${accountId}', 2 * i + 1, 'charge', ${size}, 'charge:' || ${id}, ${id}, ${at} from n`,
    `${numbers} insert into task (id, account_id, mode, name, status, total, checked, hold_id, fence, lease_until,
       next_at, deadline_at, created_at, completed_at, expires_at, results, request_id)
     select ${id}, '${accountId}', 'live', 'API: past', 'completed', ${size}, ${size}, ${id}, 1, 0, ${at}, ${at} + 1800000,
       ${at}, ${at} + 1000, ${expiresAt}, '{}', ${id} from n`,
    `${numbers}, ${positions} insert into item (task_id, position, email, state, attempts, visits, next_at, conclusive,
       verdict, explanation)
     select ${id}, position, 'person' || cast(i as text) || '@example.com', 'done', 1, 0, ${at}, 1,
       '${verdict}', '${explanation}' from n, p order by i, position`,
  ];
}

/** Returns the SQL for waiting tasks of an account with a past, each with one address and the hold that pays for it. */
export function waitingSql(past: Past, waiting: number): string[] {
  const { accountId, startedAt, tasks } = past;
  const id = idOf(kindOf(past));
  const numbers = `with recursive n (i) as (select ${tasks + 1} union all select i + 1 from n where i < ${tasks + waiting})`;
  const at = `cast(${startedAt} as bigint) + i`;
  return [
    `update account set granted = granted + ${waiting}, reserved = reserved + ${waiting}, entries = entries + ${waiting + 1}
     where id = '${accountId}'`,
    `insert into entry (account_id, number, kind, credits, op, at)
     values ('${accountId}', ${2 * tasks + 2}, 'grant', ${waiting}, 'grant:${accountId}:waiting', ${startedAt})`,
    `${numbers} insert into hold (account_id, id, credits, state, charged, released, opened_at)
     select '${accountId}', ${id}, 1, 'open', 0, 0, ${at} from n`,
    `${numbers} insert into entry (account_id, number, kind, credits, op, hold_id, at)
     select '${accountId}', ${tasks + 2} + i, 'reserve', 1, 'reserve:' || ${id}, ${id}, ${at} from n`,
    `${numbers} insert into task (id, account_id, mode, name, status, total, checked, hold_id, fence, lease_until,
       next_at, deadline_at, created_at, request_id)
     select ${id}, '${accountId}', 'live', 'API: waiting', 'waiting', 1, 0, ${id}, 0, 0, ${at}, ${at} + 1800000000,
       ${at}, ${id} from n`,
    `${numbers} insert into waiting_addresses (task_id, emails)
     select ${id}, '["person' || cast(i as text) || '@example.com"]' from n`,
  ];
}
