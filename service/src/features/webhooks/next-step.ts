import { webhookLimits } from './webhook-limits.ts';
import type { SendOutcome } from './send-request.ts';

/** What follows an attempt. */
type NextStep =
  | { kind: 'delivered' }
  | { kind: 'retry'; afterMs: number }
  /** The endpoint wants nothing more from us. */
  | { kind: 'gone' }
  | { kind: 'give_up' };

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The waits between ten attempts: 75 hours and 35 minutes, as the specification has them. */
const waitsMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Each wait is up to a tenth longer or shorter, so that what failed together does not come back together. */
const jitter = 0.1;

/** `attempts` counts the one that has just ended; `random` is from 0 up to 1. A test message is given up early. */
export function nextStep(
  outcome: SendOutcome,
  { attempts, random, isTest = false }: { attempts: number; random: number; isTest?: boolean },
): NextStep {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300)
    return { kind: 'delivered' };
  if (outcome.kind === 'answered' && outcome.status === 410) return { kind: 'gone' };
  const wait = waitsMs[attempts - 1];
  if (wait === undefined || (isTest && attempts >= webhookLimits.testAttempts)) return { kind: 'give_up' };
  const usual = wait * (1 - jitter + 2 * jitter * random);
  const asked = outcome.kind === 'answered' ? outcome.retryAfterMs : 0;
  return { kind: 'retry', afterMs: Math.round(Math.max(usual, Math.min(asked, webhookLimits.retryAfterMs))) };
}
