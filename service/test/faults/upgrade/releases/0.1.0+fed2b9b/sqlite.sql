CREATE TABLE account (
      id text primary key, name text not null, plan text not null check (plan in ('paid', 'none')),
      granted integer not null check (granted between 0 and 1000000000000), available integer not null check (available between 0 and 1000000000000), reserved integer not null check (reserved between 0 and 1000000000000), spent integer not null check (spent between 0 and 1000000000000),
      entries integer not null check (entries >= 0), touched_at integer not null,
      frozen_at integer, created_at integer not null, wanted_events text,
      check (granted = available + reserved + spent)
    ) strict;
CREATE TABLE api_key (
      id text primary key, account_id text not null references account (id),
      mode text not null check (mode in ('live', 'test')), secret_hash text not null, last4 text not null,
      created_at integer not null, deleted_at integer
    , name text not null default '') strict;
CREATE TABLE hold (
      account_id text not null references account (id), id text not null,
      credits integer not null check (credits between 1 and 1000000000000),
      state text not null check (state in ('open', 'settled')),
      charged integer not null check (charged >= 0), released integer not null check (released >= 0),
      owner text, opened_at integer not null, expires_at integer,
      primary key (account_id, id),
      check ((state = 'open' and charged = 0 and released = 0)
          or (state = 'settled' and charged + released = credits))
    ) strict, without rowid;
CREATE TABLE entry (
      account_id text not null references account (id), number integer not null check (number >= 1),
      kind text not null check (kind in ('grant', 'reserve', 'charge', 'release')),
      credits integer not null check (credits between 1 and 1000000000000),
      op text not null unique, hold_id text, at integer not null,
      primary key (account_id, number), foreign key (account_id, hold_id) references hold (account_id, id),
      check ((kind = 'grant') = (hold_id is null))
    ) strict, without rowid;
CREATE TABLE idempotency (
      account_id text not null references account (id), request_key text not null,
      endpoint text not null check (endpoint in ('verification', 'task')), body_hash text not null,
      attempt text not null, state text not null check (state in ('in_progress', 'finished')),
      answer text, owner text, expires_at integer not null,
      primary key (account_id, request_key), check ((state = 'finished') = (answer is not null))
    ) strict, without rowid;
CREATE TABLE task (
      id text primary key, account_id text not null references account (id),
      mode text not null check (mode in ('live', 'test')), name text not null,
      status text not null check (status in ('waiting', 'running', 'completed')),
      total integer not null check (total between 0 and 100),
      checked integer not null check (checked between 0 and total),
      hold_id text, fence integer not null check (fence >= 0), lease_owner text,
      lease_until integer not null, next_at integer not null, deadline_at integer not null,
      created_at integer not null, completed_at integer, expires_at integer, results text check (results is null or status = 'completed'), key_id text, request_id text, list_id text references list (id),
      foreign key (account_id, hold_id) references hold (account_id, id),
      check ((status = 'completed') = (completed_at is not null)), check (status <> 'completed' or checked = total)
    ) strict;
CREATE TABLE item (
      task_id text not null references task (id), position integer not null check (position between 0 and 99),
      email text not null, state text not null check (state in ('pending', 'done')),
      attempts integer not null check (attempts between 0 and 3), visits integer not null check (visits >= 0),
      next_at integer not null, conclusive integer not null check (conclusive in (0, 1)),
      verdict text, explanation text, visited text check (visited is null or visits > 0), list_row integer,
      primary key (task_id, position), check ((state = 'done') = (verdict is not null)),
      check (state = 'done' or conclusive = 0)
    ) strict, without rowid;
CREATE TABLE schema_version (version bigint not null, opened_at bigint not null, serves bigint not null default 5);
CREATE TABLE engine_memory (
      kind text not null, key text not null, value text not null, expires_at integer not null, written_at integer not null default 0, writer text not null default '',
      primary key (kind, key)
    ) strict, without rowid;
CREATE TABLE session (
      id_hash text primary key, key_id text references api_key (id), token_mark text,
      created_at integer not null, expires_at integer not null,
      check ((key_id is null) <> (token_mark is null))
    ) strict;
CREATE TABLE audit_log (
      number integer primary key autoincrement, at integer not null, actor text not null, action text not null,
      subject text not null, detail text not null
    ) strict;
CREATE TABLE verdict_count (
      step_ms integer not null check (step_ms > 0), begins_at integer not null,
      outcome text not null, reason text not null, provider text not null,
      verdicts integer not null check (verdicts > 0),
      primary key (step_ms, begins_at, outcome, reason, provider)
    ) strict, without rowid;
CREATE TABLE process (
      id text primary key, role text not null check (role in ('all', 'api', 'worker')),
      started_at integer not null, seen_at integer not null
    ) strict;
CREATE TABLE turn (
      key text primary key, holder text not null, granted_at integer not null, held_until integer not null,
      wanted_by text, saved_at integer not null, state text not null
    ) strict, without rowid;
CREATE TABLE list (
      id text primary key, account_id text not null references account (id),
      mode text not null check (mode in ('live', 'test')), name text not null,
      state text not null check (state in
        ('receiving', 'surveyed', 'running', 'paused', 'completed', 'cancelled', 'deleted')),
      file_bytes integer not null default 0, valid_utf8 integer not null default 1,
      plan text, split integer not null default 0,
      rows integer not null default 0 check (rows >= 0), addresses integer not null default 0 check (addresses >= 0), duplicates integer not null default 0 check (duplicates >= 0), blank integer not null default 0 check (blank >= 0), rejected integer not null default 0 check (rejected >= 0),
      repaired integer not null default 0 check (repaired >= 0), wanted integer not null default 0 check (wanted >= 0), planned integer not null default 0 check (planned >= 0), checked integer not null default 0 check (checked >= 0), conclusive integer not null default 0 check (conclusive >= 0),
      waiting integer not null default 0 check (waiting >= 0), last_row integer not null default 0,
      cursor_host text not null default '', cursor_row integer not null default 0, next_due integer,
      hold_id text, owner text, key_id text, request_id text,
      created_at integer not null, started_at integer, ended_at integer, deadline_at integer,
      expires_at integer not null, suggestions text,
      foreign key (account_id, hold_id) references hold (account_id, id),
      check (state = 'receiving' or rows = addresses + duplicates + blank + rejected),
      check (wanted <= addresses), check (planned <= wanted), check (checked <= planned), check (conclusive <= checked)
    ) strict;
CREATE TABLE list_piece (
      list_id text not null references list (id), number integer not null, bytes blob not null,
      primary key (list_id, number)
    ) strict, without rowid;
CREATE TABLE list_row (
      list_id text not null references list (id), row integer not null check (row >= 1),
      kind text not null check (kind in ('address', 'duplicate', 'rejected', 'blank')),
      email text, host text, same_as integer, repaired text, fault text,
      status text, score integer, safe integer, deliverable integer, reason text, provider text,
      explanation text, next_at integer, visits integer not null default 0, visited text, did_you_mean text,
      primary key (list_id, row), check ((kind = 'duplicate') = (same_as is not null)),
      check (kind = 'address' or status is null), check (status is null or next_at is null)
    ) strict, without rowid;
CREATE TABLE list_count (
      list_id text not null references list (id), status text not null, provider text not null,
      addresses integer not null default 0 check (addresses >= 0), primary key (list_id, status, provider)
    ) strict, without rowid;
CREATE TABLE egress_address (
      name text primary key, owner text not null, kind text not null check (kind in ('inside', 'outside')),
      fence integer not null, lease_until integer not null, state text not null, saved_at integer not null,
      well integer not null check (well in (0, 1)), why_not text not null, seen text not null
    ) strict, without rowid;
CREATE TABLE prober (
      id text primary key, name text not null unique, token_hash text, token_until integer not null,
      secret_hash text, tag_key text not null, created_at integer not null, enrolled_at integer,
      instance text not null default '', seen_at integer not null default 0, seen text not null default '{}',
      answered integer not null default 0, unknown integer not null default 0,
      controlled_at integer not null default 0, controls_right integer not null default 0, why_not text
    ) strict;
CREATE TABLE probe (
      id text primary key, asker text not null, egress text not null,
      urgency integer not null check (urgency in (0, 1)), tag text not null, question text not null,
      asked_at integer not null, deadline_at integer not null,
      state text not null default 'waiting' check (state in ('waiting', 'leased', 'answered')),
      holder text not null default '', lease text not null default '', fence integer not null default 0,
      lease_until integer not null default 0, evidence text
    ) strict;
CREATE TABLE audit_mark (
      account_id text primary key references account (id), entries integer not null check (entries >= 0),
      granted integer not null, available integer not null,
      reserved integer not null, spent integer not null,
      accepted_gap integer not null, balanced_entries integer not null, balanced_at integer,
      audited_at integer not null
    ) strict;
CREATE TABLE webhook (
      id text primary key, account_id text not null references account (id), url text not null,
      events text not null, credits_low_at integer check (credits_low_at > 0),
      enabled integer not null check (enabled in (0, 1)), secret text not null,
      previous_secret text, previous_until integer, low_told_at integer, failing_since integer,
      disabled_at integer, disabled_because text check (disabled_because in ('owner', 'gone', 'failing')),
      created_at integer not null, deleted_at integer,
      check ((enabled = 1) = (disabled_at is null)), check ((disabled_at is null) = (disabled_because is null)),
      check ((previous_secret is null) = (previous_until is null))
    ) strict;
CREATE TABLE webhook_delivery (
      id text primary key, webhook_id text not null references webhook (id), event_id text not null,
      type text not null, body text not null,
      state text not null check (state in ('pending', 'delivered', 'failed')),
      attempts integer not null check (attempts between 0 and 10), attempt_log text not null, response text,
      next_at integer not null, fence integer not null check (fence >= 0), lease_owner text,
      lease_until integer not null, created_at integer not null, ended_at integer,
      check ((state = 'pending') = (ended_at is null))
    ) strict;
CREATE TABLE form_key (
      id text not null primary key, account_id text not null references account (id),
      name text not null, origins text not null,
      checks_per_day integer not null check (checks_per_day > 0),
      checks_per_visitor integer not null check (checks_per_visitor > 0),
      created_at integer not null, deleted_at integer
    ) strict;
CREATE TABLE form_use (
      key_id text not null, day integer not null, checks integer not null check (checks > 0),
      primary key (key_id, day)
    ) strict, without rowid;
insert into account values ('acct_c9a04e5917f2d779', 'Without a plan', 'none', 0, 0, 0, 0, 0, 1794816668061, null, 1794816668061, null);
insert into account values ('acct_b57e981aff5d20d2', 'Old hands', 'paid', 1000, 986, 5, 9, 20, 1794816677455, null, 1794816669625, '{"events":["credits.low"],"creditsLowAt":[1]}');
insert into api_key values ('LR4FLWt8', 'acct_b57e981aff5d20d2', 'live', '9ada4933c7eb0617e58826992d66fbf83472b4648d347123c30a0e15559271ce', 'h0TG', 1794816671892, null, 'Live key');
insert into api_key values ('QkqVf9Vq', 'acct_b57e981aff5d20d2', 'test', '542b5b054f16fb9d6672637a95c145ad04d38c806f01a4049c32d2fe1449ad21', 'zYZd', 1794816672533, null, 'Test key');
insert into api_key values ('82ZKFuFK', 'acct_b57e981aff5d20d2', 'live', '422db7166b56cd91140882da583456a6ba4cdfbe7a9ae2ae99d2718042a1c578', 'XPZ1', 1794816673509, 1794816674572, 'Live key');
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-137b-71e8-b0bc-788dd0448e61', 1, 'settled', 1, 0, '63371ec9-7216-47db-9a8b-b90427669474', 1794816676760, 1794816716752);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-14e8-79d7-a76f-0dec74b720a0', 1, 'settled', 1, 0, '63371ec9-7216-47db-9a8b-b90427669474', 1794816677097, 1794816717097);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-14fa-7660-8a10-5fa08fcca6f3', 1, 'settled', 0, 1, '63371ec9-7216-47db-9a8b-b90427669474', 1794816677116, 1794816717115);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-1513-784c-a641-5f55b7490e34', 1, 'settled', 1, 0, '63371ec9-7216-47db-9a8b-b90427669474', 1794816677140, 1794816717140);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-151f-7ca8-afdb-793cd84a0e08', 1, 'settled', 1, 0, '63371ec9-7216-47db-9a8b-b90427669474', 1794816677153, 1794816717153);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-1572-77af-a94c-a0ab72353bf4', 3, 'settled', 3, 0, null, 1794816677236, null);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-1572-77af-a94c-a0ab72353bf4:returned', 2, 'settled', 0, 2, null, 1794816677236, null);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-1610-74aa-bb12-7572576e3ccc', 2, 'settled', 2, 0, null, 1794816677393, null);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-1641-72d8-8d52-cf57725db00a', 2, 'open', 0, 0, null, 1794816677441, null);
insert into hold values ('acct_b57e981aff5d20d2', '01a1e369-164e-724c-acee-1dca2599619e', 3, 'open', 0, 0, null, 1794816677455, null);
insert into entry values ('acct_b57e981aff5d20d2', 1, 'grant', 500, 'grant:opening:acct_b57e981aff5d20d2', null, 1794816669625);
insert into entry values ('acct_b57e981aff5d20d2', 2, 'grant', 500, 'grant:02e424bc-1b7e-45d5-859d-f389f18171d2', null, 1794816671106);
insert into entry values ('acct_b57e981aff5d20d2', 3, 'reserve', 1, 'reserve:01a1e369-137b-71e8-b0bc-788dd0448e61', '01a1e369-137b-71e8-b0bc-788dd0448e61', 1794816676760);
insert into entry values ('acct_b57e981aff5d20d2', 4, 'charge', 1, 'charge:01a1e369-137b-71e8-b0bc-788dd0448e61', '01a1e369-137b-71e8-b0bc-788dd0448e61', 1794816677082);
insert into entry values ('acct_b57e981aff5d20d2', 5, 'reserve', 1, 'reserve:01a1e369-14e8-79d7-a76f-0dec74b720a0', '01a1e369-14e8-79d7-a76f-0dec74b720a0', 1794816677097);
insert into entry values ('acct_b57e981aff5d20d2', 6, 'charge', 1, 'charge:01a1e369-14e8-79d7-a76f-0dec74b720a0', '01a1e369-14e8-79d7-a76f-0dec74b720a0', 1794816677111);
insert into entry values ('acct_b57e981aff5d20d2', 7, 'reserve', 1, 'reserve:01a1e369-14fa-7660-8a10-5fa08fcca6f3', '01a1e369-14fa-7660-8a10-5fa08fcca6f3', 1794816677116);
insert into entry values ('acct_b57e981aff5d20d2', 8, 'release', 1, 'release:01a1e369-14fa-7660-8a10-5fa08fcca6f3', '01a1e369-14fa-7660-8a10-5fa08fcca6f3', 1794816677127);
insert into entry values ('acct_b57e981aff5d20d2', 9, 'reserve', 1, 'reserve:01a1e369-1513-784c-a641-5f55b7490e34', '01a1e369-1513-784c-a641-5f55b7490e34', 1794816677140);
insert into entry values ('acct_b57e981aff5d20d2', 10, 'charge', 1, 'charge:01a1e369-1513-784c-a641-5f55b7490e34', '01a1e369-1513-784c-a641-5f55b7490e34', 1794816677147);
insert into entry values ('acct_b57e981aff5d20d2', 11, 'reserve', 1, 'reserve:01a1e369-151f-7ca8-afdb-793cd84a0e08', '01a1e369-151f-7ca8-afdb-793cd84a0e08', 1794816677153);
insert into entry values ('acct_b57e981aff5d20d2', 12, 'charge', 1, 'charge:01a1e369-151f-7ca8-afdb-793cd84a0e08', '01a1e369-151f-7ca8-afdb-793cd84a0e08', 1794816677187);
insert into entry values ('acct_b57e981aff5d20d2', 13, 'reserve', 3, 'reserve:01a1e369-1572-77af-a94c-a0ab72353bf4', '01a1e369-1572-77af-a94c-a0ab72353bf4', 1794816677236);
insert into entry values ('acct_b57e981aff5d20d2', 14, 'reserve', 2, 'reserve:01a1e369-1572-77af-a94c-a0ab72353bf4:returned', '01a1e369-1572-77af-a94c-a0ab72353bf4:returned', 1794816677236);
insert into entry values ('acct_b57e981aff5d20d2', 15, 'release', 2, 'release:01a1e369-1572-77af-a94c-a0ab72353bf4:returned', '01a1e369-1572-77af-a94c-a0ab72353bf4:returned', 1794816677236);
insert into entry values ('acct_b57e981aff5d20d2', 16, 'charge', 3, 'charge:01a1e369-1572-77af-a94c-a0ab72353bf4', '01a1e369-1572-77af-a94c-a0ab72353bf4', 1794816677276);
insert into entry values ('acct_b57e981aff5d20d2', 17, 'reserve', 2, 'reserve:01a1e369-1610-74aa-bb12-7572576e3ccc', '01a1e369-1610-74aa-bb12-7572576e3ccc', 1794816677393);
insert into entry values ('acct_b57e981aff5d20d2', 18, 'charge', 2, 'charge:01a1e369-1610-74aa-bb12-7572576e3ccc', '01a1e369-1610-74aa-bb12-7572576e3ccc', 1794816677418);
insert into entry values ('acct_b57e981aff5d20d2', 19, 'reserve', 2, 'reserve:01a1e369-1641-72d8-8d52-cf57725db00a', '01a1e369-1641-72d8-8d52-cf57725db00a', 1794816677441);
insert into entry values ('acct_b57e981aff5d20d2', 20, 'reserve', 3, 'reserve:01a1e369-164e-724c-acee-1dca2599619e', '01a1e369-164e-724c-acee-1dca2599619e', 1794816677455);
insert into idempotency values ('acct_b57e981aff5d20d2', 'first-of-may', 'verification', 'fb4d6b767e7585d9c2b86d50270d81e110ad5d02a6d5d58561035ec84a68e0a3', '01a1e369-151f-7ca8-afdb-793cd84a0e08', 'finished', '{"kind":"verified","verdict":{"email":"bob@here.test","username":"bob","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]},"explanation":{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":17,"total":17}},"creditsUsed":1}', null, 1794903077187);
insert into task values ('d2c04fff-685f-490a-931c-1ee097939bbb', 'acct_b57e981aff5d20d2', 'live', 'API: finished', 'completed', 3, 3, '01a1e369-1572-77af-a94c-a0ab72353bf4', 1, null, 0, 1794816677236, 1794818477236, 1794816677236, 1794816677276, 1796112677276, '{"ada@here.test":{"email":"ada@here.test","status":"safe","verification_mode":"power","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"is_valid_syntax":true,"mx_accepts_mail":true},"full@here.test":{"email":"full@here.test","status":"inbox_full","verification_mode":"power","overall_score":20,"is_safe_to_send":false,"is_deliverable":false,"is_valid_syntax":true,"mx_accepts_mail":true},"nobody@here.test":{"email":"nobody@here.test","status":"invalid","verification_mode":"power","overall_score":0,"is_safe_to_send":false,"is_deliverable":false,"is_valid_syntax":true,"mx_accepts_mail":true}}', 'LR4FLWt8', '01a1e369-1572-77af-a94c-a0ab72353bf4', null);
insert into task values ('857bbeed-f2e2-48d6-aec5-69a4c6f18105', 'acct_b57e981aff5d20d2', 'live', 'API: unfinished', 'running', 3, 1, '01a1e369-164e-724c-acee-1dca2599619e', 1, null, 0, 1794816682483, 1794818477455, 1794816677455, null, null, null, 'LR4FLWt8', '01a1e369-164e-724c-acee-1dca2599619e', null);
insert into item values ('857bbeed-f2e2-48d6-aec5-69a4c6f18105', 0, 'cy@here.test', 'done', 1, 0, 1794816677455, 1, '{"email":"cy@here.test","username":"cy","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":16,"total":16}}', null, null);
insert into item values ('857bbeed-f2e2-48d6-aec5-69a4c6f18105', 1, 'ada@later.test', 'pending', 0, 1, 1794816682483, 0, null, null, '[{"at":"2026-11-16T08:11:17.483Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<ada@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<vedelo.pebilore108@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into item values ('857bbeed-f2e2-48d6-aec5-69a4c6f18105', 2, 'bob@later.test', 'pending', 0, 1, 1794816682483, 0, null, null, '[{"at":"2026-11-16T08:11:17.483Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<bob@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<vedelo.pebilore108@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into item values ('d2c04fff-685f-490a-931c-1ee097939bbb', 0, 'ada@here.test', 'done', 1, 0, 1794816677236, 1, '{"email":"ada@here.test","username":"ada","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":23,"total":24}}', null, null);
insert into item values ('d2c04fff-685f-490a-931c-1ee097939bbb', 1, 'full@here.test', 'done', 1, 0, 1794816677236, 1, '{"email":"full@here.test","username":"full","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"inbox_full","overall_score":20,"is_safe_to_send":false,"is_deliverable":false,"can_connect_smtp":true,"has_inbox_full":true,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"over_quota","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":552,"enhanced":"5.2.2","text":"<full@here.test>: Quota exceeded (mailbox for user is full)"}],"timings_ms":{"dns":0,"smtp":24,"total":24}}', null, null);
insert into item values ('d2c04fff-685f-490a-931c-1ee097939bbb', 2, 'nobody@here.test', 'done', 1, 0, 1794816677236, 1, '{"email":"nobody@here.test","username":"nobody","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":true,"is_free_email":false,"verification_mode":"power","status":"invalid","overall_score":0,"is_safe_to_send":false,"is_deliverable":false,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"user_unknown","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":550,"enhanced":"5.1.1","text":"<nobody@here.test>: Recipient address rejected: User unknown in virtual mailbox table"}],"timings_ms":{"dns":0,"smtp":24,"total":24}}', null, null);
insert into schema_version values (13, 1794816678296, 5);
insert into engine_memory values ('catch_all', 'here.test', '"no"', 1794903077056, 1794816677504, '63371ec9-7216-47db-9a8b-b90427669474');
insert into engine_memory values ('route', 'default', '{"id":"default","day":20773,"openedToday":0,"connectedToday":0,"firstUsedDay":20773,"restingGroups":[],"refusals":[]}', 1826352677502, 1794816677504, '63371ec9-7216-47db-9a8b-b90427669474');
insert into engine_memory values ('route', 'default e86420a62f41fffd', '{"day":20773,"openedToday":10,"connectedToday":10,"firstUsedDay":20773,"restingGroups":[],"refusals":[]}', 1794989477502, 1794816677504, '63371ec9-7216-47db-9a8b-b90427669474');
insert into engine_memory values ('stranger_key', '', '"0170a3805732c5a19b770ccd0b299cceb7ddc1ceb63a406be832113d0e960f03"', 9007199254740991, 0, '');
insert into audit_log values (1, 1794816668061, 'command_line', 'account_created', 'acct_c9a04e5917f2d779', '{"name":"Without a plan","plan":"none"}');
insert into audit_log values (2, 1794816669625, 'command_line', 'account_created', 'acct_b57e981aff5d20d2', '{"name":"Old hands","plan":"paid"}');
insert into audit_log values (3, 1794816669625, 'command_line', 'credits_granted', 'acct_b57e981aff5d20d2', '{"credits":500}');
insert into audit_log values (4, 1794816671106, 'command_line', 'credits_granted', 'acct_b57e981aff5d20d2', '{"credits":500}');
insert into audit_log values (5, 1794816671892, 'command_line', 'key_created', 'LR4FLWt8', '{"account_id":"acct_b57e981aff5d20d2","mode":"live"}');
insert into audit_log values (6, 1794816672533, 'command_line', 'key_created', 'QkqVf9Vq', '{"account_id":"acct_b57e981aff5d20d2","mode":"test"}');
insert into audit_log values (7, 1794816673509, 'command_line', 'key_created', '82ZKFuFK', '{"account_id":"acct_b57e981aff5d20d2","mode":"live"}');
insert into audit_log values (8, 1794816674572, 'command_line', 'key_deleted', '82ZKFuFK', '{"account_id":"acct_b57e981aff5d20d2"}');
insert into audit_log values (9, 1794816677213, 'key:LR4FLWt8', 'form_key_created', 'mp_pub_YLL0ip2mijwcXj9P53460egWhk', '{"account_id":"acct_b57e981aff5d20d2","origins":"https://www.example.com"}');
insert into audit_log values (10, 1794816677228, 'key:LR4FLWt8', 'webhook_created', 'a648c3fb-a149-4cdc-a112-ac6725a32411', '{"account_id":"acct_b57e981aff5d20d2","events":"credits.low"}');
insert into verdict_count values (60000, 1794816660000, 'inbox_full', '', 'other', 1);
insert into verdict_count values (60000, 1794816660000, 'invalid', '', 'none', 1);
insert into verdict_count values (60000, 1794816660000, 'invalid', '', 'other', 3);
insert into verdict_count values (60000, 1794816660000, 'safe', '', 'other', 6);
insert into verdict_count values (60000, 1794816660000, 'unknown', 'greylisted', 'other', 1);
insert into verdict_count values (900000, 1794816000000, 'inbox_full', '', 'other', 1);
insert into verdict_count values (900000, 1794816000000, 'invalid', '', 'none', 1);
insert into verdict_count values (900000, 1794816000000, 'invalid', '', 'other', 3);
insert into verdict_count values (900000, 1794816000000, 'safe', '', 'other', 6);
insert into verdict_count values (900000, 1794816000000, 'unknown', 'greylisted', 'other', 1);
insert into list values ('d5c10134-9b5f-4220-ba9c-b979499d4759', 'acct_b57e981aff5d20d2', 'live', 'surveyed', 'surveyed', 34, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"email","samples":["ada@here.test","bob@here.test"]}],"column":0}}', 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', 0, null, null, null, 'LR4FLWt8', '01a1e369-15b0-73f5-b30f-2336cc637360', 1794816677298, null, null, null, 1796112677298, '[]');
insert into list values ('a5645a13-e5f2-44ce-b100-caff5f97485a', 'acct_b57e981aff5d20d2', 'live', 'ended', 'completed', 53, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"delimiter":",","shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"name","samples":["Ada","Nobody"]},{"name":"email","samples":["ada@here.test","nobody@here.test"]}],"column":1}}', 0, 2, 2, 0, 0, 0, 0, 2, 2, 2, 2, 0, 2, 'here.test', 2, null, '01a1e369-1610-74aa-bb12-7572576e3ccc', null, 'LR4FLWt8', '01a1e369-15ff-7f10-85d9-d83044ab96e6', 1794816677377, 1794816677393, 1794816677418, 1794903077393, 1796112677377, '[]');
insert into list values ('bf48c755-a58a-4bc6-8868-3f4de77bc81a', 'acct_b57e981aff5d20d2', 'live', 'unfinished', 'running', 34, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"email","samples":["bob@here.test","cy@later.test"]}],"column":0}}', 0, 2, 2, 0, 0, 0, 0, 2, 2, 1, 1, 1, 2, 'later.test', 2, 1794816682470, '01a1e369-1641-72d8-8d52-cf57725db00a', null, 'LR4FLWt8', '01a1e369-163a-7a9f-b64d-92a774fdf5cd', 1794816677434, 1794816677441, null, 1794903077441, 1796112677434, '[]');
insert into list_piece values ('a5645a13-e5f2-44ce-b100-caff5f97485a', 0, x'6e616d652c656d61696c0a4164612c61646140686572652e746573740a4e6f626f64792c6e6f626f647940686572652e746573740a');
insert into list_piece values ('bf48c755-a58a-4bc6-8868-3f4de77bc81a', 0, x'656d61696c0a626f6240686572652e746573740a6379406c617465722e746573740a');
insert into list_piece values ('d5c10134-9b5f-4220-ba9c-b979499d4759', 0, x'656d61696c0a61646140686572652e746573740a626f6240686572652e746573740a');
insert into list_row values ('a5645a13-e5f2-44ce-b100-caff5f97485a', 1, 'address', 'ada@here.test', 'here.test', null, null, null, 'safe', 96, 1, 1, 'mailbox_accepted', 'other', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":8,"total":8}}', null, 0, null, null);
insert into list_row values ('a5645a13-e5f2-44ce-b100-caff5f97485a', 2, 'address', 'nobody@here.test', 'here.test', null, null, null, 'invalid', 0, 0, 0, 'user_unknown', 'other', '{"stage":"smtp","reason":"user_unknown","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":550,"enhanced":"5.1.1","text":"<nobody@here.test>: Recipient address rejected: User unknown in virtual mailbox table"}],"timings_ms":{"dns":0,"smtp":8,"total":8}}', null, 0, null, null);
insert into list_row values ('bf48c755-a58a-4bc6-8868-3f4de77bc81a', 1, 'address', 'bob@here.test', 'here.test', null, null, null, 'safe', 96, 1, 1, 'mailbox_accepted', 'other', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":13,"total":13}}', null, 0, null, null);
insert into list_row values ('bf48c755-a58a-4bc6-8868-3f4de77bc81a', 2, 'address', 'cy@later.test', 'later.test', null, null, null, null, null, null, null, null, null, null, 1794816682470, 1, '[{"at":"2026-11-16T08:11:17.470Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<cy@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<vedelo.pebilore108@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into list_row values ('d5c10134-9b5f-4220-ba9c-b979499d4759', 1, 'address', 'ada@here.test', 'here.test', null, null, null, null, null, null, null, null, null, null, null, 0, null, null);
insert into list_row values ('d5c10134-9b5f-4220-ba9c-b979499d4759', 2, 'address', 'bob@here.test', 'here.test', null, null, null, null, null, null, null, null, null, null, null, 0, null, null);
insert into list_count values ('a5645a13-e5f2-44ce-b100-caff5f97485a', 'invalid', 'other', 1);
insert into list_count values ('a5645a13-e5f2-44ce-b100-caff5f97485a', 'safe', 'other', 1);
insert into list_count values ('bf48c755-a58a-4bc6-8868-3f4de77bc81a', 'safe', 'other', 1);
insert into egress_address values ('default', '', 'inside', 2, 0, '{"hosts":[["address 127.10.0.1",{"ages":[3440,3182,3119,3033,2871,2828,2813],"allowed":null,"clean":0}],["group here.test",{"ages":[3440,3182,3119,3033,2871,2828,2813],"allowed":null,"clean":0}],["address 127.10.0.2",{"ages":[3161,2828,2813],"allowed":null,"clean":0}],["group later.test",{"ages":[3161,2828,2813],"allowed":null,"clean":0}]],"unnamedAtMost":0,"begunMs":null}', 1794816680386, 1, '', '{}');
insert into audit_mark values ('acct_b57e981aff5d20d2', 20, 1000, 986, 5, 9, 0, 20, 1794816679756, 1794816679756);
insert into audit_mark values ('acct_c9a04e5917f2d779', 0, 0, 0, 0, 0, 0, 0, 1794816676294, 1794816676294);
insert into webhook values ('a648c3fb-a149-4cdc-a112-ac6725a32411', 'acct_b57e981aff5d20d2', 'https://hooks.example.com/mailproof', '["credits.low"]', 1, 1, 'whsec_XCldGW9bX0xnORQ0znQIc1aKK1/tXtYOLDnYVHnXMmE=', null, null, null, null, null, null, 1794816677228, null);
insert into form_key values ('mp_pub_YLL0ip2mijwcXj9P53460egWhk', 'acct_b57e981aff5d20d2', 'Sign-up', '["https://www.example.com"]', 10000, 100, 1794816677213, null);
CREATE INDEX api_key_account on api_key (account_id);
CREATE INDEX idempotency_expiry on idempotency (expires_at);
CREATE INDEX unfinished_task on task (account_id, next_at, id) where status <> 'completed';
CREATE INDEX expiring_task on task (expires_at) where status = 'completed';
CREATE TRIGGER entry_unchanged before update on entry 
         begin select raise(abort, 'a ledger entry is never changed'); end;
CREATE TRIGGER entry_kept before delete on entry 
         begin select raise(abort, 'a ledger entry is never deleted'); end;
CREATE TRIGGER hold_settled_once before update on hold when old.state = 'settled'
         begin select raise(abort, 'a settled hold is never changed'); end;
CREATE TRIGGER hold_kept before delete on hold 
         begin select raise(abort, 'a hold is never deleted'); end;
CREATE TRIGGER item_answered_once before update on item when old.state = 'done'
         begin select raise(abort, 'an answered item is never changed'); end;
CREATE TRIGGER task_completed_once before update on task when old.status = 'completed'
         begin select raise(abort, 'a completed task is never changed'); end;
CREATE TRIGGER task_goes_forward before update on task when new.fence < old.fence or (old.status = 'running' and new.status = 'waiting')
         begin select raise(abort, 'a task never goes back'); end;
CREATE INDEX engine_memory_expiry on engine_memory (expires_at);
CREATE INDEX session_key on session (key_id, created_at);
CREATE INDEX session_expiry on session (expires_at);
CREATE INDEX task_by_time on task (account_id, created_at, id);
CREATE INDEX task_by_request on task (request_id);
CREATE TRIGGER audit_log_unchanged before update on audit_log 
         begin select raise(abort, 'an entry of the audit log is never changed'); end;
CREATE TRIGGER audit_log_kept before delete on audit_log 
         begin select raise(abort, 'an entry of the audit log is never deleted'); end;
CREATE INDEX engine_memory_news on engine_memory (written_at);
CREATE INDEX list_account on list (account_id, created_at, id);
CREATE INDEX list_at_work on list (state) where state in ('receiving', 'running', 'deleted');
CREATE INDEX list_expiry on list (expires_at);
CREATE INDEX list_row_order on list_row (list_id, host, row) where kind = 'address';
CREATE INDEX list_row_waiting on list_row (list_id, next_at) where next_at is not null;
CREATE INDEX task_list on task (list_id) where list_id is not null;
CREATE TRIGGER list_row_answered_once before update on list_row when old.status is not null
         begin select raise(abort, 'an answered row of a list is never changed'); end;
CREATE TRIGGER list_ended_once before update on list when old.state in ('completed', 'cancelled') and new.state not in ('deleted', old.state)
         begin select raise(abort, 'a list that has ended does not go on'); end;
CREATE INDEX probe_asked on probe (egress, urgency, id) where state <> 'answered';
CREATE INDEX probe_leased on probe (holder, lease) where state = 'leased';
CREATE INDEX probe_answered on probe (asker) where state = 'answered';
CREATE INDEX probe_deadline on probe (deadline_at);
CREATE INDEX open_task_hold on hold (account_id, id, credits) where state = 'open' and expires_at is null;
CREATE INDEX open_single_hold on hold (expires_at, account_id, credits, owner)
    where state = 'open' and expires_at is not null;
CREATE INDEX free_task on task (mode, next_at, id) where status <> 'completed' and lease_until = 0;
CREATE INDEX free_task_of_account on task (mode, account_id, next_at, id)
    where status <> 'completed' and lease_until = 0;
CREATE INDEX leased_task on task (mode, account_id, lease_until) where lease_until > 0;
CREATE INDEX task_deadline on task (deadline_at) where status <> 'completed' and list_id is null;
CREATE INDEX account_by_time on account (created_at, id);
CREATE INDEX webhook_account on webhook (account_id);
CREATE INDEX webhook_deleted on webhook (deleted_at) where deleted_at is not null;
CREATE INDEX webhook_delivery_page on webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_due on webhook_delivery (webhook_id, next_at) where state = 'pending';
CREATE INDEX webhook_delivery_expiry on webhook_delivery (ended_at) where state <> 'pending';
CREATE TRIGGER webhook_delivery_ended_once before update on webhook_delivery when old.state <> 'pending' or new.fence < old.fence
         begin select raise(abort, 'a delivery that has ended is never changed, and its fence never goes back'); end;
CREATE INDEX form_key_account on form_key (account_id);
