import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KeyScope } from '@mailproof/client';
import { openCallers, type AccessCaller, type Mode } from '../../../test/support/http/access-callers.ts';
import { accessTable, type Entry, type RecordKind } from '../../../test/support/http/access-table.ts';
import { oneDatabase } from '../../../test/support/databases.ts';
import { openOidcFixture, type OidcFixture } from '../../../test/support/oidc/open-oidc-fixture.ts';
import { startForms } from '../../features/forms/form-actions.ts';
import { issueKey } from '../keys/issue-key.ts';
import type { WholeHttpParts } from '../../start/whole-server.ts';
import { insertEvent } from '../../features/webhooks/write-event.ts';

/**
 * Who may do what: every operation, by every kind of caller, with records of both modes. Operations and what they demand
 * are read from the routes; test/support/http/access-table.ts says what each is about.
 */
type Operation = { id: string; method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string; demands: Demands };

type Demands =
  | { kind: 'scope'; scope: KeyScope }
  | { kind: 'owner' }
  | { kind: 'operator' }
  | { kind: 'form_key' }
  | { kind: 'prober' }
  /** Sessions themselves, and what anybody may ask. */
  | { kind: 'nothing' };

/** What a path names, by parameter; and how to know the record in an answer. */
type Made = { id: string; parameters: Record<string, string> };

const modes = ['live', 'test'] as const;

for (const database of oneDatabase) {
  describe(`the access matrix on ${database.name}`, () => {
    let fixture: OidcFixture;
    let forms: ReturnType<typeof startForms>;
    let operations: Operation[];
    let callers: AccessCaller[];
    let numbered = 0;
    before(async () => {
      fixture = await openOidcFixture(database, { overrides: { forms: lateForms(() => forms) } });
      const { store, time } = fixture;
      const none = () => Promise.reject(new Error('no form is checked here'));
      const parts = { store, clock: time, wallClock: time.wallClock, onProblem: assert.ifError };
      forms = startForms({ ...parts, engine: { lookUp: none } });
      operations = await readOperations(fixture);
      callers = await openCallers(fixture);
    });
    after(async () => {
      await forms.stop();
      await fixture.close();
    });

    const ours = (mode: Mode) => ({ authorization: `Bearer ${fixture.ours[mode].apiKey}` });

    /** From a network of its own: nobody is slowed by what another caller got wrong. */
    async function send(
      method: Operation['method'],
      url: string,
      more: Pick<AccessCaller, 'headers'> & Entry,
    ) {
      const { headers, body } = more;
      numbered += 1;
      const from = `198.18.${Math.floor(numbered / 250) % 250}.${(numbered % 250) + 1}`;
      const type = typeof body === 'string' ? 'text/csv' : 'application/json';
      return fixture.server.inject({
        method,
        url,
        headers: {
          'x-forwarded-for': from,
          ...headers,
          ...(body === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    }

    async function made(url: string, mode: Mode, body: Entry['body']): Promise<Record<string, string>> {
      const response = await send('POST', url, {
        headers: ours(mode),
        ...(body === undefined ? {} : { body }),
      });
      assert.ok(response.statusCode < 300, `${url}: ${response.body}`);
      return response.json<Record<string, string>>();
    }

    const make: Record<RecordKind, (mode: Mode) => Promise<Made>> = {
      task: async (mode) => {
        const { task_id: id = '' } = await made('/api/v1/bulk-email-verification', mode, {
          emails: ['nonsense'],
        });
        return { id, parameters: { taskId: id } };
      },
      list: async (mode) => {
        const { list_id: id = '' } = await made('/api/v1/lists', mode, 'email\na@x.example\n');
        return { id, parameters: { listId: id, row: '1' } };
      },
      webhook: async () => {
        const hook = { url: 'https://hooks.example.com/in', events: ['credits.low'] };
        const { webhook_id: id = '' } = await made('/api/v1/webhooks', 'live', hook);
        // Past the limit of what an account may have sent, since each caller needs a new one.
        const event = { type: 'webhook.test', data: { webhook_id: id } } as const;
        const now = fixture.time.wallClock.now();
        const [deliveryId = ''] = await fixture.store.write((tx) =>
          Promise.resolve(insertEvent(tx, { webhookIds: [id], event, now })),
        );
        return { id, parameters: { webhookId: id, deliveryId } };
      },
      key: async (mode) => {
        const limits = { scopes: ['account:write'] as const };
        const key = await issueKey({ accountId: fixture.ours.accountId, mode, limits }, fixture.parts);
        assert.ok(key.kind === 'issued');
        return { id: key.keyId, parameters: { keyId: key.keyId } };
      },
      form_key: async () => {
        const order = { origins: ['https://www.example.com'] };
        const { form_key: id = '' } = await made('/api/v1/account/form-keys', 'live', order);
        return { id, parameters: { formKey: id } };
      },
    };

    /** An account has so many endpoints and keys at most. */
    async function remove(kind: RecordKind, { id }: Made): Promise<void> {
      if (kind === 'task') return;
      const folder = {
        list: 'lists',
        webhook: 'webhooks',
        key: 'account/keys',
        form_key: 'account/form-keys',
      }[kind];
      for (const mode of modes) await send('DELETE', `/api/v1/${folder}/${id}`, { headers: ours(mode) });
    }

    test('has every operation of the routes, and none that there is no more', () => {
      assert.deepEqual(operations.map(({ id }) => id).sort(), Object.keys(accessTable).sort());
    });

    test('an operation with a key: by credential, scope and role, and records of its own mode alone', async () => {
      for (const operation of operations) {
        const entry = accessTable[operation.id] ?? {};
        if (operation.demands.kind !== 'scope' || entry.shows !== undefined) continue;
        // Webhooks and publishable keys belong to live mode.
        const isLive = entry.about === 'webhook' || entry.about === 'form_key';
        for (const mode of entry.about === undefined || isLive ? (['live'] as const) : modes) {
          // A record serves until somebody has changed it.
          let record = entry.about && (await make[entry.about](mode));
          for (const caller of callers) {
            const { headers } = caller;
            const response = await send(operation.method, urlOf(operation, record), { ...entry, headers });
            const found = outcomeOf(response);
            const told = `${operation.id} of ${mode} mode by ${caller.name}: ${response.body}`;
            assert.equal(found, expectedOf(operation, { entry, caller, mode }), told);
            if (entry.about === undefined || record === undefined) continue;
            if (found !== 'passes' || operation.method === 'GET') continue;
            await remove(entry.about, record);
            record = await make[entry.about](mode);
          }
          if (entry.about !== undefined && record !== undefined) await remove(entry.about, record);
        }
      }
    });

    test('a collection shows the records of the caller’s account and mode alone', async () => {
      for (const operation of operations) {
        const { shows } = accessTable[operation.id] ?? {};
        if (shows === undefined) continue;
        const records = { live: await make[shows]('live'), test: await make[shows]('test') };
        for (const caller of callers) {
          const response = await send('GET', operation.path, { headers: caller.headers });
          const told = `${operation.id} by ${caller.name}`;
          const expected = expectedOf(operation, { entry: {}, caller, mode: 'live' });
          assert.equal(outcomeOf(response), expected, `${told}: ${response.body}`);
          if (expected !== 'passes') continue;
          for (const mode of modes)
            assert.equal(
              response.body.includes(records[mode].id),
              isShown(shows, { caller, mode }),
              `${told}: ${mode}`,
            );
        }
        for (const mode of modes) await remove(shows, records[mode]);
      }
    });

    test('people are managed by owners and by live keys without limits', async () => {
      for (const operation of operations.filter(({ demands }) => demands.kind === 'owner'))
        for (const caller of callers) {
          const entry = accessTable[operation.id] ?? {};
          const response = await send(operation.method, urlOf(operation), {
            ...entry,
            headers: caller.headers,
          });
          const refused = caller.seat === undefined ? 'invalid_api_key' : 'insufficient_scope';
          const passes = caller.isOwner === true;
          const found = outcomeOf(response);
          const told = `${operation.id} by ${caller.name}: ${response.body}`;
          if (passes) assert.ok(found === 'passes' || found.endsWith('_not_found'), told);
          else assert.equal(found, refused, told);
        }
    });

    test('the operator’s, the probers’ and the forms’ operations are for nobody else', async () => {
      const refusals = {
        operator: 'invalid_admin_token',
        form_key: 'invalid_api_key',
        prober: 'prober_not_known',
      };
      for (const { id, method, ...operation } of operations) {
        const { kind } = operation.demands;
        if (kind !== 'operator' && kind !== 'form_key' && kind !== 'prober') continue;
        // A hundred wrong tokens a minute slow everybody.
        fixture.time.advance(60_000);
        for (const caller of callers) {
          if (kind === 'operator' && caller.isOperator === true && method !== 'GET') continue;
          const entry = accessTable[id] ?? {};
          const response = await send(method, urlOf(operation), { ...entry, headers: caller.headers });
          const found = outcomeOf(response);
          const told = `${id} by ${caller.name}: ${response.body}`;
          if (kind === 'operator' && caller.isOperator === true)
            assert.ok(found === 'passes' || found.endsWith('_not_found'), told);
          else assert.equal(found, id === 'enrolProber' ? 'invalid_enrolment_token' : refusals[kind], told);
        }
      }
    });
  });
}

/** The store of the fixture is there only after the fixture. */
function lateForms(forms: () => WholeHttpParts['forms']): WholeHttpParts['forms'] {
  return {
    findKey: (key) => forms().findKey(key),
    check: (request) => forms().check(request),
    keys: (caller) => forms().keys(caller),
    createKey: (caller, key) => forms().createKey(caller, key),
    deleteKey: (caller, key) => forms().deleteKey(caller, key),
  };
}

async function readOperations({ server }: OidcFixture): Promise<Operation[]> {
  type Described = { operationId: string; security?: Record<string, KeyScope[]>[] };
  const { paths } = (await server.inject('/openapi.json')).json<{
    paths: Record<string, Record<string, Described>>;
  }>();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, security = [] }]) => ({
      id,
      path,
      method: method.toUpperCase() as Operation['method'],
      demands: demandsOf(Object.assign({}, ...security) as Record<string, KeyScope[]>),
    })),
  );
}

function demandsOf({ apiKey, adminToken, formKey, proberSecret }: Record<string, KeyScope[]>): Demands {
  if (adminToken !== undefined) return { kind: 'operator' };
  if (formKey !== undefined) return { kind: 'form_key' };
  if (proberSecret !== undefined) return { kind: 'prober' };
  if (apiKey === undefined) return { kind: 'nothing' };
  const [scope] = apiKey;
  return scope === undefined ? { kind: 'owner' } : { kind: 'scope', scope };
}

const none = '00000000-0000-4000-8000-000000000000';

function urlOf({ path }: Pick<Operation, 'path'>, record?: Made): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => record?.parameters[name] ?? none);
}

/** The reason of a refusal; anything that got past the doors passes, be it in vain. */
function outcomeOf({ statusCode, body }: { statusCode: number; body: string }): string {
  assert.ok(statusCode < 500 && statusCode !== 429, body);
  if (![400, 401, 403, 404].includes(statusCode)) return 'passes';
  return (JSON.parse(body) as { reason: string }).reason;
}

const missing = {
  task: 'task_not_found',
  list: 'list_not_found',
  webhook: 'webhook_not_found',
  key: 'key_not_found',
  form_key: 'key_not_found',
} as const;

type Cell = { entry: Entry; caller: AccessCaller; mode: Mode };

function expectedOf({ demands, method }: Operation, { entry, caller, mode }: Cell): string {
  const { seat, scopes, readScopes = [] } = caller;
  if (seat === undefined) return 'invalid_api_key';
  assert.ok(demands.kind === 'scope');
  const isAllowed =
    scopes.includes(demands.scope) || (method === 'GET' && readScopes.includes(demands.scope));
  if (!isAllowed) return 'insufficient_scope';
  if (entry.liveOnly === true && seat.mode === 'test') return 'live_key_required';
  if (entry.about === undefined) return 'passes';
  if (seat.account === 'theirs' || entry.empty === true) return missing[entry.about];
  // A live key manages the test keys too; a test key gets no hold of a live one.
  if (entry.about === 'key' && seat.mode === 'test' && mode === 'live') return 'live_key_required';
  if (entry.about === 'key')
    return caller.isCapped === true && mode === 'live' ? 'insufficient_scope' : 'passes';
  return seat.mode === mode ? 'passes' : missing[entry.about];
}

function isShown(kind: RecordKind, { caller, mode }: Pick<Cell, 'caller' | 'mode'>): boolean {
  if (caller.seat?.account !== 'ours') return false;
  if (kind === 'webhook' || kind === 'form_key') return caller.seat.mode === 'live';
  if (kind === 'key' && caller.seat.mode === 'live') return true;
  return caller.seat.mode === mode;
}
