import type { FormCheckResult } from '@mailproof/client';
import { parseAddress, type Clock, type Engine, type Evidence } from '@mailproof/engine';

/** Time limit of a form's check, including DNS. After it the answer is that the result is not known. */
const answerWithinMs = 250;

/**
 * Checks an address for a sign-up form by its syntax, the lists for its domain, and DNS. No mail host is asked. The
 * answer is the same for every mailbox of a domain. So a form cannot find out which mailboxes exist, opted out, or are
 * spam traps.
 */
export async function checkAddress(
  email: string,
  { engine, clock }: { engine: Pick<Engine, 'lookUp'>; clock: Clock },
): Promise<FormCheckResult> {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return { result: 'undeliverable' };
  const deadline = clock.now() + answerWithinMs;
  // The deadline ends the look-up, so nothing needs to abort it.
  const { signal } = new AbortController();
  return resultFor(await engine.lookUp(parsed.address, { deadline, signal }));
}

/** A likely typo comes before the answer of DNS, because many misspelt names are registered to collect mail. */
function resultFor({ address, lists, route }: Evidence): FormCheckResult {
  if (lists.denied) return { result: 'undeliverable' };
  if (lists.nearProvider !== undefined)
    return { result: 'typo', did_you_mean: `${address.localPart}@${lists.nearProvider}` };
  if (lists.disposable) return { result: 'disposable' };
  switch (route?.kind) {
    case 'refuses_mail':
      return { result: 'undeliverable' };
    case 'takes_mail':
      return { result: 'ok' };
    case 'undetermined':
    case undefined:
      return { result: 'unchecked' };
  }
}
