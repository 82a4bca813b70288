import { describeStoreFault, storeFaults } from '../../store/store-unavailable-error.ts';
import type { FaultCause, FaultLog } from '../../process/fault-log.ts';
import type { LogRequest } from './log-request.ts';

/** What a request that was refused with 503 leaves in its own line: `RequestContext.fault`. */
const sentences: Readonly<Record<string, string>> = {
  overload: 'The service has more requests than it can serve',
  draining: 'The service is shutting down',
  account_frozen: 'An account is frozen because its ledger does not balance; run mailproof audit',
  machine_exhausted: 'The machine is out of file descriptors or memory',
  ...Object.fromEntries(storeFaults.map((fault) => [`store_${fault}`, storeSentence(fault)])),
};

function storeSentence(fault: (typeof storeFaults)[number]): string {
  return `The database does not serve, because ${describeStoreFault(fault)}`;
}

/** The cause of a refusal, or of a job that failed, as the log tells it. */
export function faultCause(fault: string): FaultCause {
  return { fault, sentence: sentences[fault] ?? 'The service cannot serve requests' };
}

/** Counts requests that got 503, by their cause. What `/readyz` says is an answer, and no refusal. */
export function countRefused(logRequest: LogRequest, faultLog: Pick<FaultLog, 'note'>): LogRequest {
  return (request, reply, context) => {
    if (reply.statusCode === 503 && context.route !== '/readyz')
      faultLog.note(faultCause(context.fault ?? 'unavailable'), { kind: 'request' });
    logRequest(request, reply, context);
  };
}
