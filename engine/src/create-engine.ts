import type { Outcome } from './verify.ts';
import type { Patience } from './patience.ts';
import type { Cidr } from './egress/cidr.ts';
import type { Limits } from './limits.ts';

/** How an engine is set up. Plain values; who reads them from where is not the engine's business. */
export type EngineSettings = {
  /** Recursive resolvers to ask; none means the system's. */
  dnsServers: { ip: string; port: number }[];
  smtpPort: number;
  heloName: string;
  mailFrom: string;
  /** Blocks outside public address space that may be dialled all the same. */
  egressAllow: Cidr[];
  /** STARTTLS only where a host demands it, or wherever it is offered. */
  starttls: 'demanded' | 'always';
  listFiles: { spamtraps?: string; allow?: string; deny?: string };
  limits?: Partial<Limits>;
  /** Told, in one line, of what the operator should know (a list file that went bad …). */
  onProblem(message: string): void;
};

export type Engine = {
  verify(email: string, patience: Patience): Promise<Outcome>;
  /** Waits for conversations that are saying goodbye, then lets go of every socket and file. */
  close(): Promise<void>;
};
