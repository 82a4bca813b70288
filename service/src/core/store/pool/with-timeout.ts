import { StoreUnavailableError } from '../store-unavailable-error.ts';

/** Waits for so long; what comes later is not waited for, and the database counts as out of reach. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new StoreUnavailableError('unreachable')), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
