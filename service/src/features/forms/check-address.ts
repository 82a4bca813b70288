import type { FormCheckResult } from '@mailproof/client';
import { parseAddress, type Clock, type Engine, type Evidence } from '@mailproof/engine';

/** What the check of a form answers in, DNS included: it tells that it does not know rather than being late. */
const answerWithinMs = 250;

/**
 * Checks an address for a sign-up form, by its syntax, by what the lists say of its domain, and by DNS. No mail host is
 * asked. The answer is the same for every mailbox of a domain, so a form cannot find out which of them exist, asked not to
 * be verified, or are spam traps.
 */
export async function checkAddress(
  email: string,
  { engine, clock }: { engine: Pick<Engine, 'lookUp'>; clock: Clock },
): Promise<FormCheckResult> {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return { result: 'undeliverable' };
  const deadline = clock.now() + answerWithinMs;
  // Nobody waits longer than that, so there is nothing to abort.
  const { signal } = new AbortController();
  return resultFor(await engine.lookUp(parsed.address, { deadline, signal }));
}

/** A likely slip comes before what DNS says, because many misspelt names are held by those who collect mail. */
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
