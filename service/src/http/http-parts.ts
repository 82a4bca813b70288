import type { FastifyBaseLogger } from 'fastify';
import type { Caller } from '../keys/authenticate.ts';
import type { CreateTaskAnswer, CreateTaskRequest } from '../tasks/create-task.ts';
import type { ReadTaskAnswer, ReadTaskRequest } from '../tasks/read-task.ts';
import type { VerifyOneAnswer, VerifyOneRequest } from '../verifications/verify-one.ts';
import type { Admission } from './admission.ts';

/** Whether requests can be served, and if not, what is wrong, one line each for the operator. */
export type Readiness = { ready: true } | { ready: false; problems: string[] };

/** All that the HTTP side needs from the rest of the service. It knows nothing else of it. */
export type HttpParts = {
  authenticate(authorization: string | undefined): Promise<Caller | undefined>;
  verifyOne(request: VerifyOneRequest): Promise<VerifyOneAnswer>;
  createTask(request: CreateTaskRequest): Promise<CreateTaskAnswer>;
  readTask(request: ReadTaskRequest): Promise<ReadTaskAnswer>;
  admission: Admission;
  readiness(): Promise<Readiness>;
  newRequestId(): string;
  /** A keyed hash of an address for the log: equal for equal addresses, worthless without the key. */
  hashAddress(email: string): string;
  logger: FastifyBaseLogger;
};
