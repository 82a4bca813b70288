import { bulkPath, type Call, singlePath } from '../../support/api-client.ts';
import type { OpenedAccount } from '../../support/open-fixture.ts';

/** A request with a canary, and its required status: a path that is not taken proves nothing. */
type CanaryPath = Call & { status: number };

type CanaryAccounts = { rich: OpenedAccount; poor: OpenedAccount; planless: OpenedAccount };

/** Returns every way a request can end, each with the canary in all places for an address. */
export function canaryPaths(canary: string, { rich, poor, planless }: CanaryAccounts): CanaryPath[] {
  const email = `${canary}@catchall.test`;
  const key = rich.liveKey;
  const single = { path: singlePath, key, body: { email } };
  const bulk = { path: bulkPath, key, body: { emails: [email], name: canary.slice(0, 25) } };
  const emails = [email, email.toUpperCase(), `${canary} no address`, `${canary}@`, `${canary}@blocked.test`];
  return [
    { ...single, status: 200 },
    { ...single, path: `${singlePath}?explain=true&email=${email}`, status: 200 },
    ...['strict', 'blocked', 'greylist', 'nullmx'].map((place) => ({
      ...single,
      body: { email: `${canary}@${place}.test` },
      status: 200,
    })),
    { ...single, body: { email: `${canary}@servfail.test` }, status: 502 },
    { ...single, body: { email: `${canary}@silent.test` }, status: 504 },
    { ...single, key: rich.testKey, body: { email: `${canary}+failed@any.test` }, status: 500 },
    { ...single, key: rich.testKey, body: { email: `${canary}+timeout@any.test` }, status: 504 },
    { ...bulk, body: { emails, name: canary.slice(0, 25) }, status: 201 },
    { ...bulk, key: rich.testKey, body: { emails: [`${canary}+failed@any.test`, email] }, status: 201 },
    ...unreadable(canary).map((call) => ({ ...single, ...call, status: 400 })),
    { ...bulk, body: { emails: [email, 1] }, status: 400 },
    { ...bulk, body: { emails: [email], name: `${canary} is far too long a name` }, status: 400 },
    { ...bulk, body: `{"emails":["${email}"`, status: 400 },
    { ...single, key: canary, status: 401 },
    { path: singlePath, body: { email }, headers: { authorization: `Basic ${email}` }, status: 401 },
    { ...bulk, key: `mp_live_${canary}`, body: `{"emails":["${email}"`, status: 401 },
    { ...single, key: planless.liveKey, status: 403 },
    { ...bulk, key: planless.liveKey, status: 403 },
    { ...single, path: `/${email}`, status: 404 },
    { method: 'GET', path: `${bulkPath}/${email}`, key, status: 404 },
    { method: 'GET', path: `${bulkPath}/${encodeURIComponent(email)}?email=${email}`, key, status: 404 },
    { ...single, path: `/%zz/${email}`, status: 400 },
    { ...single, method: 'PUT', path: `${singlePath}?email=${email}`, status: 405 },
    { ...single, key: poor.liveKey, status: 429 },
    { ...bulk, key: poor.liveKey, status: 429 },
    ...keyed({ canary, single, bulk }),
  ];
}

function unreadable(canary: string): Partial<Call>[] {
  const email = `${canary}@catchall.test`;
  return [
    { body: { email: `${canary}@` } },
    { body: { email: `${email} <${email}>` } },
    { body: { email: [email] } },
    { body: { address: email } },
    { body: `{"email":"${email}"` },
    { body: `{"email":"${email}","email":"${email}"}` },
    { body: `${'['.repeat(500)}"${email}"` },
    { body: email },
    { body: JSON.stringify({ email, more: 'x'.repeat(300_000) }) },
    { headers: { 'content-type': `text/${canary}` } },
    { headers: { 'content-encoding': canary } },
    { headers: { 'idempotency-key': `${email} ${email}` } },
    { headers: { 'idempotency-key': canary.repeat(20) } },
  ];
}

/** In this order: the second is replayed, the third is another request under the same key. */
function keyed({ canary, single, bulk }: { canary: string; single: Call; bulk: Call }): CanaryPath[] {
  const headers = { 'idempotency-key': `${canary}@key.test` };
  const onBulk = { 'idempotency-key': `${canary}@bulk.test` };
  return [
    { ...single, headers, status: 200 },
    { ...single, headers, status: 200 },
    { ...single, headers, body: { email: `${canary}@strict.test` }, status: 422 },
    { ...bulk, headers: onBulk, status: 201 },
    { ...bulk, headers: onBulk, status: 201 },
    { ...bulk, headers, status: 422 },
  ];
}
