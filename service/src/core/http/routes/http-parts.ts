import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { AccountActions } from '../../../features/account/account-actions.ts';
import type { Authenticate } from '../../keys/authenticate.ts';
import type { FormActions } from '../../../features/forms/form-actions.ts';
import type { ListActions } from '../../../features/lists/list-actions.ts';
import type { Exposition } from '../../../features/metrics/create-exposition.ts';
import type { OidcProvider } from '../../../features/people/oidc/create-provider.ts';
import type { SealVisits } from '../../../features/people/oidc/provider-visit.ts';
import type { OperatorActions } from '../../../features/operator/operator-actions.ts';
import type { PeopleActions } from '../../../features/people/people-actions.ts';
import type { ProberCentre } from '../../../features/probers/prober-centre.ts';
import type { SandboxUsedUp } from '../../verify/sandbox/sandbox-allowance.ts';
import type { AdminToken } from '../../../features/people/sessions/admin-token.ts';
import type { Sessions } from '../../../features/people/sessions/create-sessions.ts';
import type { SignIns } from '../../../features/people/sessions/slow-sign-ins.ts';
import type { CreateTaskAnswer, CreateTaskRequest } from '../../verify/tasks/create-task.ts';
import type { ReadTaskAnswer, ReadTaskRequest } from '../../verify/tasks/read-task.ts';
import type { WebhookActions } from '../../../features/webhooks/webhook-actions.ts';
import type { VerifyOneAnswer, VerifyOneRequest } from '../../verify/verify-one.ts';
import type { AdmitRequest } from '../pipeline/admit-request.ts';
import type { AuthenticateRequest } from '../pipeline/authenticate-request.ts';
import type { LogRequest } from '../pipeline/log-request.ts';
import type { RateLimits } from '../pipeline/rate-limits.ts';
import type { OverloadGuard } from '../pipeline/overload-guard.ts';
import type { ConsoleFiles } from '../../../features/console/read-console-files.ts';

/**
 * Whether requests can be served, and if not, what is wrong; if they can, what of the store is still being looked at. One
 * line each for the operator.
 */
export type Readiness =
  { ready: true; checking?: string[]; warnings?: string[] } | { ready: false; problems: string[] };

/** All that the HTTP side needs from the rest of the service. It knows nothing else of it. */
export type HttpParts = {
  authenticate: Authenticate;
  verifyOne(request: VerifyOneRequest): Promise<VerifyOneAnswer | SandboxUsedUp>;
  createTask(request: CreateTaskRequest): Promise<CreateTaskAnswer | SandboxUsedUp>;
  readTask(request: ReadTaskRequest): Promise<ReadTaskAnswer>;
  /** Browsers that have signed in, the operator's token, and clients that fail to sign in. */
  sessions: Sessions;
  adminToken: AdminToken;
  signIns: SignIns;
  /** Whether a key or the admin token opens a session; unless it says otherwise, it does. */
  keySignIn?: 'on' | 'off';
  /** Signing in with an OpenID provider, where one is set. */
  oidc?: OidcSignIn | undefined;
  people: PeopleActions;
  account: AccountActions;
  lists: ListActions;
  forms: FormActions;
  webhooks: WebhookActions;
  operator: OperatorActions;
  probers: Pick<ProberCentre, 'authenticate' | 'enrol' | 'lease' | 'report'>;
  consoleFiles: ConsoleFiles;
  /** Where a proxy has the service on its host; empty: at the root. It begins every path that is told to a browser. */
  basePath: string;
  /** The figures for Prometheus, where they are served on this port. */
  metrics?: { token: AdminToken; exposition: Exposition } | undefined;
  /** What owners of mail servers may read of this host; absent if the operator names no contact. */
  about?: AboutHost | undefined;
  /** The certificate and key that this port is served with; without them it speaks HTTP. */
  tls?: { cert: Buffer; key: Buffer } | undefined;
  overloadGuard: OverloadGuard;
  rateLimits: RateLimits;
  readiness(): Promise<Readiness>;
  newRequestId(): string;
  /** The address of the client, as far as the proxies in front can be believed. */
  clientAddress: (request: FastifyRequest) => string;
  /** A keyed hash of an address for the log: equal for equal addresses, worthless without the key. */
  hashAddress(email: string): string;
  logger: FastifyBaseLogger;
  logRequest: LogRequest;
};

/** The facts on `/about-this-host`: the names under which this host asks, and the contact. */
export type AboutHost = {
  /** In lower case. */
  heloNames: readonly string[];
  mailFrom: string;
  /** A mail address, or an https URL. */
  contact: string;
};

export type OidcSignIn = {
  provider: OidcProvider;
  seal: SealVisits;
  /** Where browsers reach the service, with the path under which a proxy has it. */
  publicUrl: string;
  operators: readonly string[];
  now: () => number;
};

/** The server as routes see it: what a handler sends is checked against its response schema by the compiler. */
export type ApiServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type RouteParts = {
  parts: HttpParts;
  admitRequest: AdmitRequest;
  authenticateRequest: AuthenticateRequest;
};
