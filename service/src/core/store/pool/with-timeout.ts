import { StoreUnavailableError } from '../store-unavailable-error.ts';

/** Waits for at most `ms`. After that the database counts as unreachable, and the work's result is ignored. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new StoreUnavailableError('unreachable')), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
