import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { actorOf, mayUse, type Authenticate, type Caller } from '../../keys/authenticate.ts';
import { allowsClient, type Power } from '../../keys/key-limits.ts';
import { takeClientPlace } from './admit-request.ts';
import type { OverloadGuard, WorkKind } from './overload-guard.ts';
import type { RateLimits } from './rate-limits.ts';
import { refuse } from './refuse.ts';
import { contextOf } from './request-context.ts';

/**
 * The checks in front of every API endpoint, in their order: overload or drain (503), key or session (401, 403), rate
 * (429), scope or role (403), plan (403). They run before the body is read, so that a request without a key costs neither memory nor parsing.
 */
export type AuthenticateRequest = (kind: WorkKind, power: Power) => onRequestHookHandler;

/** A person or program that has signed in, known by the cookie of its request. */
export type FindVisitor = (
  request: FastifyRequest,
) => Promise<
  | { kind: 'account'; caller: Caller }
  | { kind: 'operator' }
  | { kind: 'none' }
  | { kind: 'refused'; reason: 'csrf_token_mismatch' | 'cross_site_request' }
>;

type AuthenticateRequestParts = {
  authenticate: Authenticate;
  findVisitor?: FindVisitor | undefined;
  overloadGuard: OverloadGuard;
  clientAddress: (request: FastifyRequest) => string;
  rateLimits: RateLimits;
};

/** Reading needs a key only; creating needs a plan too. */
export function createAuthenticateRequest(parts: AuthenticateRequestParts): AuthenticateRequest {
  const { overloadGuard } = parts;

  /**
   * A key that was good a moment ago is known at once. Its request goes on in the same moment and without delay, so it
   * is enough that there is a place for its client.
   */
  function findCaller(pending: PendingRequest): void {
    const { authorization, cookie } = pending.request.headers;
    if (authorization === undefined && cookie !== undefined) {
      holdPlace(pending, () => acceptSession(pending));
      return;
    }
    const caller = parts.authenticate(authorization);
    if (caller instanceof Promise) holdPlace(pending, async () => accept(await caller, pending));
    else accept(caller, pending);
  }

  /** While its sender is looked up, a request holds the place of its client that it has, or that there just was. */
  function holdPlace(pending: PendingRequest, look: () => Promise<void>): void {
    const { request, reply, kind } = pending;
    const done = () => void look().catch(pending.done);
    if (contextOf(request).release === undefined)
      takeClientPlace(overloadGuard, kind, { request, reply, done });
    else done();
  }

  /** A browser that has signed in sends a cookie and no key. */
  async function acceptSession(pending: PendingRequest): Promise<void> {
    const found = await parts.findVisitor?.(pending.request);
    if (found?.kind === 'refused') void refuse(pending.reply, found.reason);
    else accept(found?.kind === 'account' ? found.caller : undefined, pending);
  }

  function accept(caller: Caller | undefined, pending: PendingRequest): void {
    const { request, reply, kind, power, done } = pending;
    const context = contextOf(request);
    if (caller === undefined) {
      context.fault = request.headers.authorization === undefined ? 'no_key' : 'key_not_known';
      void refuse(reply, 'invalid_api_key');
      return;
    }
    const { limits } = caller;
    if (!allowsClient(limits, () => parts.clientAddress(request))) {
      // From elsewhere nobody learns that there is such a key.
      context.fault = 'address_not_allowed';
      void refuse(reply, 'invalid_api_key');
      return;
    }
    context.caller = caller;
    context.work = { kind, asker: askerOf(caller) };
    if (isRefusedRate(caller, reply)) return;
    if (!mayUse(caller, power)) void refuse(reply, 'insufficient_scope');
    else if (createsWork(kind) && caller.plan === 'none') void refuse(reply, 'subscription_required');
    else done();
  }

  /** Tells the client where it stands, and refuses it where it sends more than it may. */
  function isRefusedRate(caller: Caller, reply: FastifyReply): boolean {
    const { requestsPerMinute } = caller;
    const rate = parts.rateLimits.take({ asker: askerOf(caller), actor: actorOf(caller), requestsPerMinute });
    if (rate.kind === 'free') return false;
    reply.headers(rate.fields);
    if (rate.kind === 'refused') void refuse(reply, 'rate_limited', rate.retryAfterSeconds);
    return rate.kind === 'refused';
  }

  return (kind, power) => (request, reply, done) => {
    const pending = { request, reply, kind, power, done };
    if (overloadGuard.hasPlace(kind, contextOf(request).client)) findCaller(pending);
    else takeClientPlace(overloadGuard, kind, { request, reply, done: () => findCaller(pending) });
  };
}

type PendingRequest = {
  request: FastifyRequest;
  reply: FastifyReply;
  kind: WorkKind;
  power: Power;
  done: (error?: Error) => void;
};

/** What a test key asks for does not wait for what the account's live keys ask for, nor the other way round. */
function askerOf({ accountId, mode }: Caller): string {
  return mode === 'live' ? accountId : `test ${accountId}`;
}

function createsWork(kind: WorkKind): boolean {
  return kind === 'single' || kind === 'bulk' || kind === 'upload';
}
