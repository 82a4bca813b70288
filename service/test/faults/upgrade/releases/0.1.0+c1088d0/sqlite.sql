CREATE TABLE account (
      id text primary key, name text not null, plan text not null check (plan in ('paid', 'none')),
      granted integer not null check (granted between 0 and 1000000000000), available integer not null check (available between 0 and 1000000000000), reserved integer not null check (reserved between 0 and 1000000000000), spent integer not null check (spent between 0 and 1000000000000),
      entries integer not null check (entries >= 0), touched_at integer not null,
      frozen_at integer, created_at integer not null, wanted_events text, requests_per_minute integer check (requests_per_minute > 0),
      check (granted = available + reserved + spent)
    ) strict;
CREATE TABLE api_key (
      id text primary key, account_id text not null references account (id),
      mode text not null check (mode in ('live', 'test')), secret_hash text not null, last4 text not null,
      created_at integer not null, deleted_at integer
    , name text not null default '', scopes text, expires_at integer, allowed_ips text, credits_per_day integer check (credits_per_day > 0), capped_day integer not null default 0, capped_credits integer not null default 0 check (capped_credits >= 0), last_used_day integer) strict;
CREATE TABLE hold (
      account_id text not null references account (id), id text not null,
      credits integer not null check (credits between 1 and 1000000000000),
      state text not null check (state in ('open', 'settled')),
      charged integer not null check (charged >= 0), released integer not null check (released >= 0),
      owner text, opened_at integer not null, expires_at integer, key_id text, capped_day integer,
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
CREATE TABLE waiting_addresses (task_id text primary key references task (id), emails text not null) strict;
insert into account values ('acct_8360b2c72fed4f9e', 'Without a plan', 'none', 0, 0, 0, 0, 0, 1794821854128, null, 1794821854128, null, null);
insert into account values ('acct_9e6e084cd292d62e', 'Old hands', 'paid', 1000, 986, 5, 9, 20, 1794821864242, null, 1794821854984, '{"events":["credits.low"],"creditsLowAt":[1]}', null);
insert into api_key values ('IsKjL7JD', 'acct_9e6e084cd292d62e', 'live', 'e41913e714a1423e85fdf166ccc91d631df257eb5d55934dcba5391c41196498', 'pPl2', 1794821856817, null, 'Live key', null, null, null, null, 0, 0, 20773);
insert into api_key values ('QsGmc2qn', 'acct_9e6e084cd292d62e', 'test', '50a5a5161371e1963b4cc3fce1fb252b0e8af585f4300b16672d8d36fd6210c6', '7fWq', 1794821857660, null, 'Test key', null, null, null, null, 0, 0, null);
insert into api_key values ('HInML7cs', 'acct_9e6e084cd292d62e', 'live', 'a0a3eb38c492fc7247ff1d605262d63fc9bfe679b2c666b8a8d60ee693aee178', 'wF3C', 1794821858660, 1794821859813, 'Live key', null, null, null, null, 0, 0, null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-3813-710e-ba72-ede831584da7', 1, 'settled', 1, 0, 'dc42b3ee-ef82-465a-bbda-235e08f1ccfb', 1794821863455, 1794821903452, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-39d3-7363-8f95-3338858dc6ba', 1, 'settled', 1, 0, 'dc42b3ee-ef82-465a-bbda-235e08f1ccfb', 1794821863892, 1794821903892, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-39e8-7230-8a1c-c80d698ea26a', 1, 'settled', 0, 1, 'dc42b3ee-ef82-465a-bbda-235e08f1ccfb', 1794821863913, 1794821903913, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-39ff-770b-919a-763eb1386fae', 1, 'settled', 1, 0, 'dc42b3ee-ef82-465a-bbda-235e08f1ccfb', 1794821863937, 1794821903936, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-3a0c-7221-aaad-1682677163d1', 1, 'settled', 1, 0, 'dc42b3ee-ef82-465a-bbda-235e08f1ccfb', 1794821863950, 1794821903950, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-3a36-7770-abb3-927106211af8', 3, 'settled', 3, 0, null, 1794821863991, null, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-3a36-7770-abb3-927106211af8:returned', 2, 'settled', 0, 2, null, 1794821863991, null, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-3a88-7ca9-b455-0654d8a55a5b', 2, 'settled', 2, 0, null, 1794821864073, null, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-3b22-78a7-aa9d-a739f375f8e0', 2, 'open', 0, 0, null, 1794821864226, null, 'IsKjL7JD', null);
insert into hold values ('acct_9e6e084cd292d62e', '01a1e3b8-3b31-7ffa-b67c-cb62827d57aa', 3, 'open', 0, 0, null, 1794821864242, null, 'IsKjL7JD', null);
insert into entry values ('acct_9e6e084cd292d62e', 1, 'grant', 500, 'grant:opening:acct_9e6e084cd292d62e', null, 1794821854984);
insert into entry values ('acct_9e6e084cd292d62e', 2, 'grant', 500, 'grant:4ae40613-1a26-4608-a99b-e811211f362d', null, 1794821856052);
insert into entry values ('acct_9e6e084cd292d62e', 3, 'reserve', 1, 'reserve:01a1e3b8-3813-710e-ba72-ede831584da7', '01a1e3b8-3813-710e-ba72-ede831584da7', 1794821863455);
insert into entry values ('acct_9e6e084cd292d62e', 4, 'charge', 1, 'charge:01a1e3b8-3813-710e-ba72-ede831584da7', '01a1e3b8-3813-710e-ba72-ede831584da7', 1794821863856);
insert into entry values ('acct_9e6e084cd292d62e', 5, 'reserve', 1, 'reserve:01a1e3b8-39d3-7363-8f95-3338858dc6ba', '01a1e3b8-39d3-7363-8f95-3338858dc6ba', 1794821863892);
insert into entry values ('acct_9e6e084cd292d62e', 6, 'charge', 1, 'charge:01a1e3b8-39d3-7363-8f95-3338858dc6ba', '01a1e3b8-39d3-7363-8f95-3338858dc6ba', 1794821863903);
insert into entry values ('acct_9e6e084cd292d62e', 7, 'reserve', 1, 'reserve:01a1e3b8-39e8-7230-8a1c-c80d698ea26a', '01a1e3b8-39e8-7230-8a1c-c80d698ea26a', 1794821863913);
insert into entry values ('acct_9e6e084cd292d62e', 8, 'release', 1, 'release:01a1e3b8-39e8-7230-8a1c-c80d698ea26a', '01a1e3b8-39e8-7230-8a1c-c80d698ea26a', 1794821863932);
insert into entry values ('acct_9e6e084cd292d62e', 9, 'reserve', 1, 'reserve:01a1e3b8-39ff-770b-919a-763eb1386fae', '01a1e3b8-39ff-770b-919a-763eb1386fae', 1794821863937);
insert into entry values ('acct_9e6e084cd292d62e', 10, 'charge', 1, 'charge:01a1e3b8-39ff-770b-919a-763eb1386fae', '01a1e3b8-39ff-770b-919a-763eb1386fae', 1794821863943);
insert into entry values ('acct_9e6e084cd292d62e', 11, 'reserve', 1, 'reserve:01a1e3b8-3a0c-7221-aaad-1682677163d1', '01a1e3b8-3a0c-7221-aaad-1682677163d1', 1794821863950);
insert into entry values ('acct_9e6e084cd292d62e', 12, 'charge', 1, 'charge:01a1e3b8-3a0c-7221-aaad-1682677163d1', '01a1e3b8-3a0c-7221-aaad-1682677163d1', 1794821863969);
insert into entry values ('acct_9e6e084cd292d62e', 13, 'reserve', 3, 'reserve:01a1e3b8-3a36-7770-abb3-927106211af8', '01a1e3b8-3a36-7770-abb3-927106211af8', 1794821863991);
insert into entry values ('acct_9e6e084cd292d62e', 14, 'reserve', 2, 'reserve:01a1e3b8-3a36-7770-abb3-927106211af8:returned', '01a1e3b8-3a36-7770-abb3-927106211af8:returned', 1794821863991);
insert into entry values ('acct_9e6e084cd292d62e', 15, 'release', 2, 'release:01a1e3b8-3a36-7770-abb3-927106211af8:returned', '01a1e3b8-3a36-7770-abb3-927106211af8:returned', 1794821863991);
insert into entry values ('acct_9e6e084cd292d62e', 16, 'charge', 3, 'charge:01a1e3b8-3a36-7770-abb3-927106211af8', '01a1e3b8-3a36-7770-abb3-927106211af8', 1794821864027);
insert into entry values ('acct_9e6e084cd292d62e', 17, 'reserve', 2, 'reserve:01a1e3b8-3a88-7ca9-b455-0654d8a55a5b', '01a1e3b8-3a88-7ca9-b455-0654d8a55a5b', 1794821864073);
insert into entry values ('acct_9e6e084cd292d62e', 18, 'charge', 2, 'charge:01a1e3b8-3a88-7ca9-b455-0654d8a55a5b', '01a1e3b8-3a88-7ca9-b455-0654d8a55a5b', 1794821864203);
insert into entry values ('acct_9e6e084cd292d62e', 19, 'reserve', 2, 'reserve:01a1e3b8-3b22-78a7-aa9d-a739f375f8e0', '01a1e3b8-3b22-78a7-aa9d-a739f375f8e0', 1794821864226);
insert into entry values ('acct_9e6e084cd292d62e', 20, 'reserve', 3, 'reserve:01a1e3b8-3b31-7ffa-b67c-cb62827d57aa', '01a1e3b8-3b31-7ffa-b67c-cb62827d57aa', 1794821864242);
insert into idempotency values ('acct_9e6e084cd292d62e', 'first-of-may', 'verification', 'fb4d6b767e7585d9c2b86d50270d81e110ad5d02a6d5d58561035ec84a68e0a3', '01a1e3b8-3a0c-7221-aaad-1682677163d1', 'finished', '{"kind":"verified","verdict":{"email":"bob@here.test","username":"bob","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]},"explanation":{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":12,"total":12}},"creditsUsed":1}', null, 1794908263969);
insert into task values ('402f559e-35f8-444f-b354-f63b04a3c009', 'acct_9e6e084cd292d62e', 'live', 'API: finished', 'completed', 3, 3, '01a1e3b8-3a36-7770-abb3-927106211af8', 1, null, 0, 1794821863991, 1794823663991, 1794821863991, 1794821864027, 1796117864027, '{"ada@here.test":{"email":"ada@here.test","status":"safe","verification_mode":"power","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"is_valid_syntax":true,"mx_accepts_mail":true},"full@here.test":{"email":"full@here.test","status":"inbox_full","verification_mode":"power","overall_score":20,"is_safe_to_send":false,"is_deliverable":false,"is_valid_syntax":true,"mx_accepts_mail":true},"nobody@here.test":{"email":"nobody@here.test","status":"invalid","verification_mode":"power","overall_score":0,"is_safe_to_send":false,"is_deliverable":false,"is_valid_syntax":true,"mx_accepts_mail":true}}', 'IsKjL7JD', '01a1e3b8-3a36-7770-abb3-927106211af8', null);
insert into task values ('37434a1f-aa7f-4a54-9ee4-a9e414a175df', 'acct_9e6e084cd292d62e', 'live', 'API: unfinished', 'running', 3, 1, '01a1e3b8-3b31-7ffa-b67c-cb62827d57aa', 1, null, 0, 1794821869334, 1794823664242, 1794821864242, null, null, null, 'IsKjL7JD', '01a1e3b8-3b31-7ffa-b67c-cb62827d57aa', null);
insert into item values ('37434a1f-aa7f-4a54-9ee4-a9e414a175df', 0, 'cy@here.test', 'done', 1, 0, 1794821864242, 1, '{"email":"cy@here.test","username":"cy","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":21,"total":21}}', null, null);
insert into item values ('37434a1f-aa7f-4a54-9ee4-a9e414a175df', 1, 'ada@later.test', 'pending', 0, 1, 1794821869334, 0, null, null, '[{"at":"2026-11-16T09:37:44.334Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<ada@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<visoke_fitezile184@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into item values ('37434a1f-aa7f-4a54-9ee4-a9e414a175df', 2, 'bob@later.test', 'pending', 0, 1, 1794821869334, 0, null, null, '[{"at":"2026-11-16T09:37:44.334Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<bob@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<visoke_fitezile184@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into item values ('402f559e-35f8-444f-b354-f63b04a3c009', 0, 'ada@here.test', 'done', 1, 0, 1794821863991, 1, '{"email":"ada@here.test","username":"ada","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":10,"total":10}}', null, null);
insert into item values ('402f559e-35f8-444f-b354-f63b04a3c009', 1, 'full@here.test', 'done', 1, 0, 1794821863991, 1, '{"email":"full@here.test","username":"full","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"inbox_full","overall_score":20,"is_safe_to_send":false,"is_deliverable":false,"can_connect_smtp":true,"has_inbox_full":true,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"over_quota","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":552,"enhanced":"5.2.2","text":"<full@here.test>: Quota exceeded (mailbox for user is full)"}],"timings_ms":{"dns":0,"smtp":10,"total":10}}', null, null);
insert into item values ('402f559e-35f8-444f-b354-f63b04a3c009', 2, 'nobody@here.test', 'done', 1, 0, 1794821863991, 1, '{"email":"nobody@here.test","username":"nobody","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":true,"is_free_email":false,"verification_mode":"power","status":"invalid","overall_score":0,"is_safe_to_send":false,"is_deliverable":false,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"user_unknown","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":550,"enhanced":"5.1.1","text":"<nobody@here.test>: Recipient address rejected: User unknown in virtual mailbox table"}],"timings_ms":{"dns":0,"smtp":9,"total":10}}', null, null);
insert into schema_version values (18, 1794821865121, 18);
insert into engine_memory values ('catch_all', 'here.test', '"no"', 1794908263841, 1794821864363, 'dc42b3ee-ef82-465a-bbda-235e08f1ccfb');
insert into engine_memory values ('route', 'default', '{"id":"default","day":20773,"openedToday":0,"connectedToday":0,"firstUsedDay":20773,"restingGroups":[],"refusals":[]}', 1826357864360, 1794821864363, 'dc42b3ee-ef82-465a-bbda-235e08f1ccfb');
insert into engine_memory values ('route', 'default cb79ca735b0ccbc2', '{"day":20773,"openedToday":10,"connectedToday":10,"firstUsedDay":20773,"restingGroups":[],"refusals":[]}', 1794994664360, 1794821864363, 'dc42b3ee-ef82-465a-bbda-235e08f1ccfb');
insert into engine_memory values ('stranger_key', '', '"20b9236c09395a69c5d3bdf6b85303d8963988f285e5501b0963f0c6d6651d0a"', 9007199254740991, 0, '');
insert into audit_log values (1, 1794821854128, 'command_line', 'account_created', 'acct_8360b2c72fed4f9e', '{"name":"Without a plan","plan":"none"}');
insert into audit_log values (2, 1794821854984, 'command_line', 'account_created', 'acct_9e6e084cd292d62e', '{"name":"Old hands","plan":"paid"}');
insert into audit_log values (3, 1794821854984, 'command_line', 'credits_granted', 'acct_9e6e084cd292d62e', '{"credits":500}');
insert into audit_log values (4, 1794821856052, 'command_line', 'credits_granted', 'acct_9e6e084cd292d62e', '{"credits":500}');
insert into audit_log values (5, 1794821856817, 'command_line', 'key_created', 'IsKjL7JD', '{"account_id":"acct_9e6e084cd292d62e","mode":"live"}');
insert into audit_log values (6, 1794821857660, 'command_line', 'key_created', 'QsGmc2qn', '{"account_id":"acct_9e6e084cd292d62e","mode":"test"}');
insert into audit_log values (7, 1794821858660, 'command_line', 'key_created', 'HInML7cs', '{"account_id":"acct_9e6e084cd292d62e","mode":"live"}');
insert into audit_log values (8, 1794821859813, 'command_line', 'key_deleted', 'HInML7cs', '{"account_id":"acct_9e6e084cd292d62e"}');
insert into audit_log values (9, 1794821863977, 'key:IsKjL7JD', 'form_key_created', 'mp_pub_zNAndg1nrRKlsXu22xDo2hLUvO', '{"account_id":"acct_9e6e084cd292d62e","origins":"https://www.example.com"}');
insert into audit_log values (10, 1794821863983, 'key:IsKjL7JD', 'webhook_created', '3952035b-18fd-4a66-96ed-02e071a6e98e', '{"account_id":"acct_9e6e084cd292d62e","events":"credits.low"}');
insert into verdict_count values (60000, 1794821820000, 'inbox_full', '', 'other', 1);
insert into verdict_count values (60000, 1794821820000, 'invalid', '', 'none', 1);
insert into verdict_count values (60000, 1794821820000, 'invalid', '', 'other', 3);
insert into verdict_count values (60000, 1794821820000, 'safe', '', 'other', 6);
insert into verdict_count values (60000, 1794821820000, 'unknown', 'greylisted', 'other', 1);
insert into verdict_count values (900000, 1794821400000, 'inbox_full', '', 'other', 1);
insert into verdict_count values (900000, 1794821400000, 'invalid', '', 'none', 1);
insert into verdict_count values (900000, 1794821400000, 'invalid', '', 'other', 3);
insert into verdict_count values (900000, 1794821400000, 'safe', '', 'other', 6);
insert into verdict_count values (900000, 1794821400000, 'unknown', 'greylisted', 'other', 1);
insert into list values ('74cd0e6d-7f22-41da-8217-8233345e65cf', 'acct_9e6e084cd292d62e', 'live', 'surveyed', 'surveyed', 34, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"email","samples":["ada@here.test","bob@here.test"]}],"column":0}}', 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', 0, null, null, null, 'IsKjL7JD', '01a1e3b8-3a67-74c8-b934-bff73e53fd9c', 1794821864044, null, null, null, 1796117864044, '[]');
insert into list values ('c4f83e10-e80b-402e-84fd-a6933d0e6dc4', 'acct_9e6e084cd292d62e', 'live', 'ended', 'completed', 53, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"delimiter":",","shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"name","samples":["Ada","Nobody"]},{"name":"email","samples":["ada@here.test","nobody@here.test"]}],"column":1}}', 0, 2, 2, 0, 0, 0, 0, 2, 2, 2, 2, 0, 2, 'here.test', 2, null, '01a1e3b8-3a88-7ca9-b455-0654d8a55a5b', null, 'IsKjL7JD', '01a1e3b8-3a81-7bc8-9b42-f68c3f57b24a', 1794821864065, 1794821864073, 1794821864203, 1794908264073, 1796117864065, '[]');
insert into list values ('3065fc85-c675-40d7-ad2b-bf2f25d15372', 'acct_9e6e084cd292d62e', 'live', 'unfinished', 'running', 34, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"email","samples":["bob@here.test","cy@later.test"]}],"column":0}}', 0, 2, 2, 0, 0, 0, 0, 2, 2, 1, 1, 1, 2, 'later.test', 2, 1794821869284, '01a1e3b8-3b22-78a7-aa9d-a739f375f8e0', null, 'IsKjL7JD', '01a1e3b8-3b18-7779-89dc-ea658cef0cc6', 1794821864216, 1794821864226, null, 1794908264226, 1796117864216, '[]');
insert into list_piece values ('3065fc85-c675-40d7-ad2b-bf2f25d15372', 0, x'656d61696c0a626f6240686572652e746573740a6379406c617465722e746573740a');
insert into list_piece values ('74cd0e6d-7f22-41da-8217-8233345e65cf', 0, x'656d61696c0a61646140686572652e746573740a626f6240686572652e746573740a');
insert into list_piece values ('c4f83e10-e80b-402e-84fd-a6933d0e6dc4', 0, x'6e616d652c656d61696c0a4164612c61646140686572652e746573740a4e6f626f64792c6e6f626f647940686572652e746573740a');
insert into list_row values ('3065fc85-c675-40d7-ad2b-bf2f25d15372', 1, 'address', 'bob@here.test', 'here.test', null, null, null, 'safe', 96, 1, 1, 'mailbox_accepted', 'other', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":3,"smtp":33,"total":36}}', null, 0, null, null);
insert into list_row values ('3065fc85-c675-40d7-ad2b-bf2f25d15372', 2, 'address', 'cy@later.test', 'later.test', null, null, null, null, null, null, null, null, null, null, 1794821869284, 1, '[{"at":"2026-11-16T09:37:44.284Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<cy@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<visoke_fitezile184@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into list_row values ('74cd0e6d-7f22-41da-8217-8233345e65cf', 1, 'address', 'ada@here.test', 'here.test', null, null, null, null, null, null, null, null, null, null, null, 0, null, null);
insert into list_row values ('74cd0e6d-7f22-41da-8217-8233345e65cf', 2, 'address', 'bob@here.test', 'here.test', null, null, null, null, null, null, null, null, null, null, null, 0, null, null);
insert into list_row values ('c4f83e10-e80b-402e-84fd-a6933d0e6dc4', 1, 'address', 'ada@here.test', 'here.test', null, null, null, 'safe', 96, 1, 1, 'mailbox_accepted', 'other', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":96,"total":96}}', null, 0, null, null);
insert into list_row values ('c4f83e10-e80b-402e-84fd-a6933d0e6dc4', 2, 'address', 'nobody@here.test', 'here.test', null, null, null, 'invalid', 0, 0, 0, 'user_unknown', 'other', '{"stage":"smtp","reason":"user_unknown","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":550,"enhanced":"5.1.1","text":"<nobody@here.test>: Recipient address rejected: User unknown in virtual mailbox table"}],"timings_ms":{"dns":0,"smtp":96,"total":96}}', null, 0, null, null);
insert into list_count values ('3065fc85-c675-40d7-ad2b-bf2f25d15372', 'safe', 'other', 1);
insert into list_count values ('c4f83e10-e80b-402e-84fd-a6933d0e6dc4', 'invalid', 'other', 1);
insert into list_count values ('c4f83e10-e80b-402e-84fd-a6933d0e6dc4', 'safe', 'other', 1);
insert into egress_address values ('default', '', 'inside', 2, 0, '{"hosts":[["address 127.10.0.1",{"ages":[3577,3211,3146,3097,2947,2848,2792],"allowed":null,"clean":0}],["group here.test",{"ages":[3577,3211,3146,3097,2947,2848,2792],"allowed":null,"clean":0}],["address 127.10.0.2",{"ages":[3184,2843,2784],"allowed":null,"clean":0}],["group later.test",{"ages":[3184,2843,2784],"allowed":null,"clean":0}]],"unnamedAtMost":0,"begunMs":null}', 1794821867229, 1, '', '{"conversations":0,"resting":0}');
insert into audit_mark values ('acct_8360b2c72fed4f9e', 0, 0, 0, 0, 0, 0, 0, 1794821863295, 1794821863295);
insert into audit_mark values ('acct_9e6e084cd292d62e', 20, 1000, 986, 5, 9, 0, 20, 1794821866761, 1794821866761);
insert into webhook values ('3952035b-18fd-4a66-96ed-02e071a6e98e', 'acct_9e6e084cd292d62e', 'https://hooks.example.com/mailproof', '["credits.low"]', 1, 1, 'whsec_VNqz12NEVzQIK2s1r/vj11/GK5yo5c/g+q0PQsRiscA=', null, null, null, null, null, null, 1794821863983, null);
insert into form_key values ('mp_pub_zNAndg1nrRKlsXu22xDo2hLUvO', 'acct_9e6e084cd292d62e', 'Sign-up', '["https://www.example.com"]', 10000, 100, 1794821863977, null);
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
CREATE TRIGGER task_claimed_first after update on task when old.fence = 0 and new.fence > 0 begin insert into item (task_id, position, email, state, attempts, visits, next_at, conclusive)
           select new.id, element.key, element.value, 'pending', 0, 0, new.next_at, 0
           from waiting_addresses, json_each(waiting_addresses.emails) as element where waiting_addresses.task_id = new.id; delete from waiting_addresses where task_id = new.id; end;
