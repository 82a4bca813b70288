import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Authenticate } from '../../keys/authenticate.ts';
import type { SandboxUsedUp } from '../../verify/sandbox/sandbox-allowance.ts';
import type { AdminToken } from '../../keys/admin-token.ts';
import type { CreateTaskAnswer, CreateTaskRequest } from '../../verify/tasks/create-task.ts';
import type { ReadTaskAnswer, ReadTaskRequest } from '../../verify/tasks/read-task.ts';
import type { VerifyOneAnswer, VerifyOneRequest } from '../../verify/verify-one.ts';
import type { AdmitRequest } from '../pipeline/admit-request.ts';
import type { OperatorChecks } from '../pipeline/authenticate-operator.ts';
import type { AuthenticateRequest, FindVisitor } from '../pipeline/authenticate-request.ts';
import type { LogRequest } from '../pipeline/log-request.ts';
import type { SignIns } from '../pipeline/slow-sign-ins.ts';
import type { RateLimits } from '../pipeline/rate-limits.ts';
import type { OverloadGuard } from '../pipeline/overload-guard.ts';

/**
 * Whether requests can be served. If not, the problems; if so, the parts of the store that are still being checked.
 * One line each for the operator.
 */
export type Readiness =
  { ready: true; checking?: string[]; warnings?: string[] } | { ready: false; problems: string[] };

/** All that the HTTP side of the core needs from the rest of the service. Features bring their own parts. */
export type HttpParts = {
  authenticate: Authenticate;
  verifyOne(request: VerifyOneRequest): Promise<VerifyOneAnswer | SandboxUsedUp>;
  createTask(request: CreateTaskRequest): Promise<CreateTaskAnswer | SandboxUsedUp>;
  readTask(request: ReadTaskRequest): Promise<ReadTaskAnswer>;
  /** The operator's token, and clients that fail to sign in. */
  adminToken: AdminToken;
  signIns: SignIns;
  /** Finds who sends a request by its cookie; absent if the installation has no sign-in. */
  findVisitor?: FindVisitor | undefined;
  /**
   * The URL path prefix behind a reverse proxy; empty for the root. It begins every path that is sent to a browser.
   */
  basePath: string;
  /** The certificate and key that this port is served with; without them it speaks HTTP. */
  tls?: { cert: Buffer; key: Buffer } | undefined;
  overloadGuard: OverloadGuard;
  rateLimits: RateLimits;
  readiness(): Promise<Readiness>;
  newRequestId(): string;
  /** Returns the client's address, as far as the proxies in front are trusted. */
  clientAddress: (request: FastifyRequest) => string;
  /** A keyed hash of an address for the log: equal for equal addresses, worthless without the key. */
  hashAddress(email: string): string;
  logger: FastifyBaseLogger;
  logRequest: LogRequest;
};

/** The server as routes see it: the compiler checks the answers of a handler against its response schema. */
export type ApiServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Parts that every route is given, with those of its feature. */
export type RouteParts<Own = unknown> = {
  parts: HttpParts & Own;
  admitRequest: AdmitRequest;
  authenticateRequest: AuthenticateRequest;
  /** The checks in front of every route of the operator. */
  operatorChecks: OperatorChecks;
};

/** The share of a feature in the HTTP side. */
export type FeatureHttp = {
  addRoutes: (server: ApiServer, routeParts: RouteParts) => void;
  /** How the OpenAPI document groups its routes. */
  tags?: readonly { name: string; description: string }[];
  /** Credentials that its routes take, by the names of `schemas/security.ts`. */
  securitySchemes?: Record<string, SecurityScheme>;
  /** Requests that the service sends, as the OpenAPI document describes them. */
  webhooks?: Record<string, object>;
  /** A line of the table "you have / use" that the reference opens with. */
  useFor?: readonly { youHave: string; use: string }[];
  /** Whether a path is left out now, since nothing is set that it could answer with. */
  hides?: (url: string) => boolean;
};

export type SecurityScheme =
  | { type: 'http'; scheme: string; description: string }
  | { type: 'apiKey'; in: 'cookie'; name: string; description: string };
