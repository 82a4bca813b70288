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
      created_at integer not null, expires_at integer not null, person_id text, operator_name text,
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
CREATE TABLE person (
      id text not null primary key, account_id text not null references account (id),
      issuer text not null, subject text not null, email text, name text,
      role text not null check (role in ('owner', 'member', 'viewer')),
      created_at integer not null, signed_in_at integer not null
    ) strict;
CREATE TABLE invitation (
      id text not null primary key, account_id text not null references account (id),
      token_hash text not null, role text not null check (role in ('owner', 'member', 'viewer')),
      email text, created_at integer not null, expires_at integer not null
    ) strict;
CREATE TABLE used_visit (
      state_hash text not null primary key, expires_at integer not null
    ) strict, without rowid;
CREATE TABLE waiting_addresses (task_id text primary key references task (id), emails text not null) strict;
insert into account values ('acct_3c542d629f4397d4', 'Without a plan', 'none', 0, 0, 0, 0, 0, 1794822612869, null, 1794822612869, null, null);
insert into account values ('acct_e417935518f00a72', 'Old hands', 'paid', 1000, 986, 5, 9, 20, 1794822617609, null, 1794822613211, '{"events":["credits.low"],"creditsLowAt":[1]}', null);
insert into api_key values ('tyqp9eZx', 'acct_e417935518f00a72', 'live', 'f72410ee21fcc4c662b7e90c51d265e96050ec408b65000a40a208caef140556', '4cPg', 1794822613994, null, 'Live key', null, null, null, null, 0, 0, 20773);
insert into api_key values ('vS3Dujz7', 'acct_e417935518f00a72', 'test', '1b5a8b422d6cba306d2759b72ca1d0d9e0408c45cce9a3d76ff8783fa88be65c', 'eMSH', 1794822614410, null, 'Test key', null, null, null, null, 0, 0, null);
insert into api_key values ('6QtntX7A', 'acct_e417935518f00a72', 'live', 'a642a192de1033b7de8eb622ac5ce62ab8bdd5e8b5bbf2796001e0b74c7b647b', 'TJuB', 1794822614829, 1794822615260, 'Live key', null, null, null, null, 0, 0, null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-b7a6-7a45-9722-025483fab74c', 1, 'settled', 1, 0, 'e835f13f-ed9d-4432-bffe-9a23380a2382', 1794822617032, 1794822657026, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-b8fb-7e39-85be-972617d9e745', 1, 'settled', 1, 0, 'e835f13f-ed9d-4432-bffe-9a23380a2382', 1794822617341, 1794822657340, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-b909-7f1a-98ba-461db533aa13', 1, 'settled', 0, 1, 'e835f13f-ed9d-4432-bffe-9a23380a2382', 1794822617355, 1794822657355, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-b91d-7238-a375-02aa8d9652c0', 1, 'settled', 1, 0, 'e835f13f-ed9d-4432-bffe-9a23380a2382', 1794822617374, 1794822657374, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-b931-70b2-8bec-9a891b124a6b', 1, 'settled', 1, 0, 'e835f13f-ed9d-4432-bffe-9a23380a2382', 1794822617394, 1794822657394, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-b956-7ec7-a840-b502b5ca0447', 3, 'settled', 3, 0, null, 1794822617433, null, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-b956-7ec7-a840-b502b5ca0447:returned', 2, 'settled', 0, 2, null, 1794822617433, null, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-b9cb-70e8-b934-43bd0939b407', 2, 'settled', 2, 0, null, 1794822617550, null, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-ba02-7a2b-90bd-7286745e412b', 2, 'open', 0, 0, null, 1794822617603, null, 'tyqp9eZx', null);
insert into hold values ('acct_e417935518f00a72', '01a1e3c3-ba08-7ec6-9e60-57d194510d3d', 3, 'open', 0, 0, null, 1794822617609, null, 'tyqp9eZx', null);
insert into entry values ('acct_e417935518f00a72', 1, 'grant', 500, 'grant:opening:acct_e417935518f00a72', null, 1794822613211);
insert into entry values ('acct_e417935518f00a72', 2, 'grant', 500, 'grant:398e6418-b4df-4124-9ff5-ff63f92e45f7', null, 1794822613556);
insert into entry values ('acct_e417935518f00a72', 3, 'reserve', 1, 'reserve:01a1e3c3-b7a6-7a45-9722-025483fab74c', '01a1e3c3-b7a6-7a45-9722-025483fab74c', 1794822617032);
insert into entry values ('acct_e417935518f00a72', 4, 'charge', 1, 'charge:01a1e3c3-b7a6-7a45-9722-025483fab74c', '01a1e3c3-b7a6-7a45-9722-025483fab74c', 1794822617316);
insert into entry values ('acct_e417935518f00a72', 5, 'reserve', 1, 'reserve:01a1e3c3-b8fb-7e39-85be-972617d9e745', '01a1e3c3-b8fb-7e39-85be-972617d9e745', 1794822617341);
insert into entry values ('acct_e417935518f00a72', 6, 'charge', 1, 'charge:01a1e3c3-b8fb-7e39-85be-972617d9e745', '01a1e3c3-b8fb-7e39-85be-972617d9e745', 1794822617350);
insert into entry values ('acct_e417935518f00a72', 7, 'reserve', 1, 'reserve:01a1e3c3-b909-7f1a-98ba-461db533aa13', '01a1e3c3-b909-7f1a-98ba-461db533aa13', 1794822617355);
insert into entry values ('acct_e417935518f00a72', 8, 'release', 1, 'release:01a1e3c3-b909-7f1a-98ba-461db533aa13', '01a1e3c3-b909-7f1a-98ba-461db533aa13', 1794822617369);
insert into entry values ('acct_e417935518f00a72', 9, 'reserve', 1, 'reserve:01a1e3c3-b91d-7238-a375-02aa8d9652c0', '01a1e3c3-b91d-7238-a375-02aa8d9652c0', 1794822617374);
insert into entry values ('acct_e417935518f00a72', 10, 'charge', 1, 'charge:01a1e3c3-b91d-7238-a375-02aa8d9652c0', '01a1e3c3-b91d-7238-a375-02aa8d9652c0', 1794822617389);
insert into entry values ('acct_e417935518f00a72', 11, 'reserve', 1, 'reserve:01a1e3c3-b931-70b2-8bec-9a891b124a6b', '01a1e3c3-b931-70b2-8bec-9a891b124a6b', 1794822617394);
insert into entry values ('acct_e417935518f00a72', 12, 'charge', 1, 'charge:01a1e3c3-b931-70b2-8bec-9a891b124a6b', '01a1e3c3-b931-70b2-8bec-9a891b124a6b', 1794822617405);
insert into entry values ('acct_e417935518f00a72', 13, 'reserve', 3, 'reserve:01a1e3c3-b956-7ec7-a840-b502b5ca0447', '01a1e3c3-b956-7ec7-a840-b502b5ca0447', 1794822617433);
insert into entry values ('acct_e417935518f00a72', 14, 'reserve', 2, 'reserve:01a1e3c3-b956-7ec7-a840-b502b5ca0447:returned', '01a1e3c3-b956-7ec7-a840-b502b5ca0447:returned', 1794822617433);
insert into entry values ('acct_e417935518f00a72', 15, 'release', 2, 'release:01a1e3c3-b956-7ec7-a840-b502b5ca0447:returned', '01a1e3c3-b956-7ec7-a840-b502b5ca0447:returned', 1794822617433);
insert into entry values ('acct_e417935518f00a72', 16, 'charge', 3, 'charge:01a1e3c3-b956-7ec7-a840-b502b5ca0447', '01a1e3c3-b956-7ec7-a840-b502b5ca0447', 1794822617493);
insert into entry values ('acct_e417935518f00a72', 17, 'reserve', 2, 'reserve:01a1e3c3-b9cb-70e8-b934-43bd0939b407', '01a1e3c3-b9cb-70e8-b934-43bd0939b407', 1794822617550);
insert into entry values ('acct_e417935518f00a72', 18, 'charge', 2, 'charge:01a1e3c3-b9cb-70e8-b934-43bd0939b407', '01a1e3c3-b9cb-70e8-b934-43bd0939b407', 1794822617579);
insert into entry values ('acct_e417935518f00a72', 19, 'reserve', 2, 'reserve:01a1e3c3-ba02-7a2b-90bd-7286745e412b', '01a1e3c3-ba02-7a2b-90bd-7286745e412b', 1794822617603);
insert into entry values ('acct_e417935518f00a72', 20, 'reserve', 3, 'reserve:01a1e3c3-ba08-7ec6-9e60-57d194510d3d', '01a1e3c3-ba08-7ec6-9e60-57d194510d3d', 1794822617609);
insert into idempotency values ('acct_e417935518f00a72', 'first-of-may', 'verification', 'fb4d6b767e7585d9c2b86d50270d81e110ad5d02a6d5d58561035ec84a68e0a3', '01a1e3c3-b931-70b2-8bec-9a891b124a6b', 'finished', '{"kind":"verified","verdict":{"email":"bob@here.test","username":"bob","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]},"explanation":{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":6,"total":6}},"creditsUsed":1}', null, 1794909017405);
insert into task values ('ea60ce27-44ef-42d6-99cc-5c7070a46a3f', 'acct_e417935518f00a72', 'live', 'API: finished', 'completed', 3, 3, '01a1e3c3-b956-7ec7-a840-b502b5ca0447', 1, null, 0, 1794822617433, 1794824417433, 1794822617433, 1794822617493, 1796118617493, '{"ada@here.test":{"email":"ada@here.test","status":"safe","verification_mode":"power","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"is_valid_syntax":true,"mx_accepts_mail":true},"full@here.test":{"email":"full@here.test","status":"inbox_full","verification_mode":"power","overall_score":20,"is_safe_to_send":false,"is_deliverable":false,"is_valid_syntax":true,"mx_accepts_mail":true},"nobody@here.test":{"email":"nobody@here.test","status":"invalid","verification_mode":"power","overall_score":0,"is_safe_to_send":false,"is_deliverable":false,"is_valid_syntax":true,"mx_accepts_mail":true}}', 'tyqp9eZx', '01a1e3c3-b956-7ec7-a840-b502b5ca0447', null);
insert into task values ('702335c9-15e4-4b78-8f29-7a35ae2c0e27', 'acct_e417935518f00a72', 'live', 'API: unfinished', 'running', 3, 1, '01a1e3c3-ba08-7ec6-9e60-57d194510d3d', 1, null, 0, 1794822622634, 1794824417609, 1794822617609, null, null, null, 'tyqp9eZx', '01a1e3c3-ba08-7ec6-9e60-57d194510d3d', null);
insert into item values ('702335c9-15e4-4b78-8f29-7a35ae2c0e27', 0, 'cy@here.test', 'done', 1, 0, 1794822617609, 1, '{"email":"cy@here.test","username":"cy","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":18,"total":18}}', null, null);
insert into item values ('702335c9-15e4-4b78-8f29-7a35ae2c0e27', 1, 'ada@later.test', 'pending', 0, 1, 1794822622640, 0, null, null, '[{"at":"2026-11-16T09:50:17.640Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<ada@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into item values ('702335c9-15e4-4b78-8f29-7a35ae2c0e27', 2, 'bob@later.test', 'pending', 0, 1, 1794822622634, 0, null, null, '[{"at":"2026-11-16T09:50:17.634Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<bob@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<pokiko.lozogige285@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<pokiko.lozogige285@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into item values ('ea60ce27-44ef-42d6-99cc-5c7070a46a3f', 0, 'ada@here.test', 'done', 1, 0, 1794822617433, 1, '{"email":"ada@here.test","username":"ada","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"safe","overall_score":96,"is_safe_to_send":true,"is_deliverable":true,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":1,"smtp":17,"total":19}}', null, null);
insert into item values ('ea60ce27-44ef-42d6-99cc-5c7070a46a3f', 1, 'full@here.test', 'done', 1, 0, 1794822617433, 1, '{"email":"full@here.test","username":"full","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":false,"is_free_email":false,"verification_mode":"power","status":"inbox_full","overall_score":20,"is_safe_to_send":false,"is_deliverable":false,"can_connect_smtp":true,"has_inbox_full":true,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"over_quota","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":552,"enhanced":"5.2.2","text":"<full@here.test>: Quota exceeded (mailbox for user is full)"}],"timings_ms":{"dns":1,"smtp":17,"total":18}}', null, null);
insert into item values ('ea60ce27-44ef-42d6-99cc-5c7070a46a3f', 2, 'nobody@here.test', 'done', 1, 0, 1794822617433, 1, '{"email":"nobody@here.test","username":"nobody","domain":"here.test","is_valid_syntax":true,"is_disposable":false,"is_role_account":true,"is_free_email":false,"verification_mode":"power","status":"invalid","overall_score":0,"is_safe_to_send":false,"is_deliverable":false,"can_connect_smtp":true,"has_inbox_full":false,"is_catch_all":false,"is_disabled":false,"is_spamtrap":false,"mx_accepts_mail":true,"mx_records":["mx.here.test"]}', '{"stage":"smtp","reason":"user_unknown","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":550,"enhanced":"5.1.1","text":"<nobody@here.test>: Recipient address rejected: User unknown in virtual mailbox table"}],"timings_ms":{"dns":1,"smtp":17,"total":18}}', null, null);
insert into schema_version values (18, 1794822618180, 18);
insert into engine_memory values ('catch_all', 'here.test', '"no"', 1794909017310, 1794822617675, 'e835f13f-ed9d-4432-bffe-9a23380a2382');
insert into engine_memory values ('route', 'default', '{"id":"default","day":20773,"openedToday":0,"connectedToday":0,"firstUsedDay":20773,"restingGroups":[],"refusals":[]}', 1826358617674, 1794822617675, 'e835f13f-ed9d-4432-bffe-9a23380a2382');
insert into engine_memory values ('route', 'default 895f2ad70a13840d', '{"day":20773,"openedToday":10,"connectedToday":10,"firstUsedDay":20773,"restingGroups":[],"refusals":[]}', 1794995417674, 1794822617675, 'e835f13f-ed9d-4432-bffe-9a23380a2382');
insert into engine_memory values ('stranger_key', '', '"2af5c9091051643aeed04df72ddd8cfe044f0c51f938588420846381360582a2"', 9007199254740991, 0, '');
insert into audit_log values (1, 1794822612869, 'command_line', 'account_created', 'acct_3c542d629f4397d4', '{"name":"Without a plan","plan":"none"}');
insert into audit_log values (2, 1794822613211, 'command_line', 'account_created', 'acct_e417935518f00a72', '{"name":"Old hands","plan":"paid"}');
insert into audit_log values (3, 1794822613211, 'command_line', 'credits_granted', 'acct_e417935518f00a72', '{"credits":500}');
insert into audit_log values (4, 1794822613556, 'command_line', 'credits_granted', 'acct_e417935518f00a72', '{"credits":500}');
insert into audit_log values (5, 1794822613994, 'command_line', 'key_created', 'tyqp9eZx', '{"account_id":"acct_e417935518f00a72","mode":"live"}');
insert into audit_log values (6, 1794822614410, 'command_line', 'key_created', 'vS3Dujz7', '{"account_id":"acct_e417935518f00a72","mode":"test"}');
insert into audit_log values (7, 1794822614829, 'command_line', 'key_created', '6QtntX7A', '{"account_id":"acct_e417935518f00a72","mode":"live"}');
insert into audit_log values (8, 1794822615260, 'command_line', 'key_deleted', '6QtntX7A', '{"account_id":"acct_e417935518f00a72"}');
insert into audit_log values (9, 1794822617412, 'key:tyqp9eZx', 'form_key_created', 'mp_pub_yEt0TsZg8YbRWr5B97M61VX2MW', '{"account_id":"acct_e417935518f00a72","origins":"https://www.example.com"}');
insert into audit_log values (10, 1794822617421, 'key:tyqp9eZx', 'webhook_created', 'cf46fbd5-975e-4b5d-8eb4-b37bc14b282c', '{"account_id":"acct_e417935518f00a72","events":"credits.low"}');
insert into verdict_count values (60000, 1794822600000, 'inbox_full', '', 'other', 1);
insert into verdict_count values (60000, 1794822600000, 'invalid', '', 'none', 1);
insert into verdict_count values (60000, 1794822600000, 'invalid', '', 'other', 3);
insert into verdict_count values (60000, 1794822600000, 'safe', '', 'other', 6);
insert into verdict_count values (60000, 1794822600000, 'unknown', 'greylisted', 'other', 1);
insert into verdict_count values (900000, 1794822300000, 'inbox_full', '', 'other', 1);
insert into verdict_count values (900000, 1794822300000, 'invalid', '', 'none', 1);
insert into verdict_count values (900000, 1794822300000, 'invalid', '', 'other', 3);
insert into verdict_count values (900000, 1794822300000, 'safe', '', 'other', 6);
insert into verdict_count values (900000, 1794822300000, 'unknown', 'greylisted', 'other', 1);
insert into list values ('6560a20a-cc2e-45b9-bf61-2dce59498a45', 'acct_e417935518f00a72', 'live', 'surveyed', 'surveyed', 34, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"email","samples":["ada@here.test","bob@here.test"]}],"column":0}}', 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', 0, null, null, null, 'tyqp9eZx', '01a1e3c3-b9a3-7b69-8e5b-728469387989', 1794822617510, null, null, null, 1796118617510, '[]');
insert into list values ('82cc9130-9ae4-4c1d-868c-241404a6baae', 'acct_e417935518f00a72', 'live', 'ended', 'completed', 53, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"delimiter":",","shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"name","samples":["Ada","Nobody"]},{"name":"email","samples":["ada@here.test","nobody@here.test"]}],"column":1}}', 0, 2, 2, 0, 0, 0, 0, 2, 2, 2, 2, 0, 2, 'here.test', 2, null, '01a1e3c3-b9cb-70e8-b934-43bd0939b407', null, 'tyqp9eZx', '01a1e3c3-b9bd-7b47-96aa-e42493441a64', 1794822617534, 1794822617550, 1794822617579, 1794909017550, 1796118617534, '[]');
insert into list values ('e571acdc-1032-462b-8d0f-b56d60be9aee', 'acct_e417935518f00a72', 'live', 'unfinished', 'running', 34, 1, '{"kind":"text","encoding":"utf-8","hasMark":false,"layout":{"shape":"table","linesAbove":0,"hasHeading":true,"columns":[{"name":"email","samples":["bob@here.test","cy@later.test"]}],"column":0}}', 0, 2, 2, 0, 0, 0, 0, 2, 2, 1, 1, 1, 2, 'later.test', 2, 1794822622634, '01a1e3c3-ba02-7a2b-90bd-7286745e412b', null, 'tyqp9eZx', '01a1e3c3-b9fa-748a-8e4c-20bbc0a9ea43', 1794822617594, 1794822617603, null, 1794909017603, 1796118617594, '[]');
insert into list_piece values ('6560a20a-cc2e-45b9-bf61-2dce59498a45', 0, x'656d61696c0a61646140686572652e746573740a626f6240686572652e746573740a');
insert into list_piece values ('82cc9130-9ae4-4c1d-868c-241404a6baae', 0, x'6e616d652c656d61696c0a4164612c61646140686572652e746573740a4e6f626f64792c6e6f626f647940686572652e746573740a');
insert into list_piece values ('e571acdc-1032-462b-8d0f-b56d60be9aee', 0, x'656d61696c0a626f6240686572652e746573740a6379406c617465722e746573740a');
insert into list_row values ('6560a20a-cc2e-45b9-bf61-2dce59498a45', 1, 'address', 'ada@here.test', 'here.test', null, null, null, null, null, null, null, null, null, null, null, 0, null, null);
insert into list_row values ('6560a20a-cc2e-45b9-bf61-2dce59498a45', 2, 'address', 'bob@here.test', 'here.test', null, null, null, null, null, null, null, null, null, null, null, 0, null, null);
insert into list_row values ('82cc9130-9ae4-4c1d-868c-241404a6baae', 1, 'address', 'ada@here.test', 'here.test', null, null, null, 'safe', 96, 1, 1, 'mailbox_accepted', 'other', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":0,"smtp":7,"total":8}}', null, 0, null, null);
insert into list_row values ('82cc9130-9ae4-4c1d-868c-241404a6baae', 2, 'address', 'nobody@here.test', 'here.test', null, null, null, 'invalid', 0, 0, 0, 'user_unknown', 'other', '{"stage":"smtp","reason":"user_unknown","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":550,"enhanced":"5.1.1","text":"<nobody@here.test>: Recipient address rejected: User unknown in virtual mailbox table"}],"timings_ms":{"dns":0,"smtp":7,"total":8}}', null, 0, null, null);
insert into list_row values ('e571acdc-1032-462b-8d0f-b56d60be9aee', 1, 'address', 'bob@here.test', 'here.test', null, null, null, 'safe', 96, 1, 1, 'mailbox_accepted', 'other', '{"stage":"smtp","reason":"mailbox_accepted","retry":{"advised":false},"mail_host":"mx.here.test","replies":[{"phase":"rcpt","code":250,"enhanced":"2.1.5","text":"Ok"}],"timings_ms":{"dns":2,"smtp":15,"total":17}}', null, 0, null, null);
insert into list_row values ('e571acdc-1032-462b-8d0f-b56d60be9aee', 2, 'address', 'cy@later.test', 'later.test', null, null, null, null, null, null, null, null, null, null, 1794822622634, 1, '[{"at":"2026-11-16T09:50:17.634Z","reason":"greylisted","replies":[{"phase":"rcpt","code":450,"enhanced":"4.2.0","text":"<cy@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<pokiko.lozogige285@later.test>: Recipient address rejected: Greylisted, try again later"},{"phase":"random_rcpt","code":450,"enhanced":"4.2.0","text":"<pokiko.lozogige285@later.test>: Recipient address rejected: Greylisted, try again later"}]}]', null);
insert into list_count values ('82cc9130-9ae4-4c1d-868c-241404a6baae', 'invalid', 'other', 1);
insert into list_count values ('82cc9130-9ae4-4c1d-868c-241404a6baae', 'safe', 'other', 1);
insert into list_count values ('e571acdc-1032-462b-8d0f-b56d60be9aee', 'safe', 'other', 1);
insert into egress_address values ('default', '', 'inside', 2, 0, '{"hosts":[["address 127.10.0.1",{"ages":[1918,1684,1627,1553,1456,1410,1400],"allowed":null,"clean":0}],["group here.test",{"ages":[1918,1684,1627,1553,1456,1410,1400],"allowed":null,"clean":0}],["address 127.10.0.2",{"ages":[1666,1409,1399],"allowed":null,"clean":0}],["group later.test",{"ages":[1666,1409,1399],"allowed":null,"clean":0}]],"unnamedAtMost":0,"begunMs":null}', 1794822619138, 1, '', '{"conversations":0,"resting":0}');
insert into audit_mark values ('acct_3c542d629f4397d4', 0, 0, 0, 0, 0, 0, 0, 1794822616859, 1794822616859);
insert into audit_mark values ('acct_e417935518f00a72', 20, 1000, 986, 5, 9, 0, 20, 1794822618807, 1794822618807);
insert into webhook values ('cf46fbd5-975e-4b5d-8eb4-b37bc14b282c', 'acct_e417935518f00a72', 'https://hooks.example.com/mailproof', '["credits.low"]', 1, 1, 'whsec_rT6+2FjOh3yjkHwVXKYRQmwCDCGUZMaSGHszAihnkcs=', null, null, null, null, null, null, 1794822617421, null);
insert into form_key values ('mp_pub_yEt0TsZg8YbRWr5B97M61VX2MW', 'acct_e417935518f00a72', 'Sign-up', '["https://www.example.com"]', 10000, 100, 1794822617412, null);
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
CREATE UNIQUE INDEX person_identity on person (issuer, subject, account_id);
CREATE INDEX person_account on person (account_id, created_at);
CREATE UNIQUE INDEX invitation_token on invitation (token_hash);
CREATE INDEX invitation_account on invitation (account_id, created_at);
CREATE INDEX invitation_expiry on invitation (expires_at);
CREATE INDEX used_visit_expiry on used_visit (expires_at);
CREATE INDEX session_person on session (person_id, created_at);
CREATE TRIGGER task_claimed_first after update on task when old.fence = 0 and new.fence > 0 begin insert into item (task_id, position, email, state, attempts, visits, next_at, conclusive)
           select new.id, element.key, element.value, 'pending', 0, 0, new.next_at, 0
           from waiting_addresses, json_each(waiting_addresses.emails) as element where waiting_addresses.task_id = new.id; delete from waiting_addresses where task_id = new.id; end;
