import type { FastifyBaseLogger } from 'fastify';
import type { Caller } from '../keys/authenticate.ts';
import type { AdminToken } from '../sessions/admin-token.ts';
import type { Sessions } from '../sessions/create-sessions.ts';
import type { SignIns } from '../sessions/slow-sign-ins.ts';
import type { CreateTaskAnswer, CreateTaskRequest } from '../tasks/create-task.ts';
import type { ReadTaskAnswer, ReadTaskRequest } from '../tasks/read-task.ts';
import type { VerifyOneAnswer, VerifyOneRequest } from '../verifications/verify-one.ts';
import type { OperatorDesk } from '../operator/create-operator-desk.ts';
import type { AccountPages } from './account-pages.ts';
import type { Admission } from './admission.ts';
import type { LogRequest } from './log-request.ts';
import type { ConsoleFiles } from './read-console-files.ts';

/** Whether requests can be served, and if not, what is wrong, one line each for the operator. */
export type Readiness = { ready: true } | { ready: false; problems: string[] };

/** All that the HTTP side needs from the rest of the service. It knows nothing else of it. */
export type HttpParts = {
  authenticate(authorization: string | undefined): Caller | undefined | Promise<Caller | undefined>;
  verifyOne(request: VerifyOneRequest): Promise<VerifyOneAnswer>;
  createTask(request: CreateTaskRequest): Promise<CreateTaskAnswer>;
  readTask(request: ReadTaskRequest): Promise<ReadTaskAnswer>;
  /** Browsers that have signed in, the operator's token, and who tries it too often. */
  sessions: Sessions;
  adminToken: AdminToken;
  signIns: SignIns;
  account: AccountPages;
  operatorDesk: OperatorDesk;
  consoleFiles: ConsoleFiles;
  admission: Admission;
  readiness(): Promise<Readiness>;
  newRequestId(): string;
  /** A keyed hash of an address for the log: equal for equal addresses, worthless without the key. */
  hashAddress(email: string): string;
  logger: FastifyBaseLogger;
  logRequest: LogRequest;
};
