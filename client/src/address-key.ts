import { parseUrl } from './parse-url.ts';

/**
 * The same text for addresses that the service takes for the same: they agree without regard to case, the domain in
 * its ASCII form.
 */
export function addressKey(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at + 1).toLowerCase()}${asciiDomain(address.slice(at + 1))}`;
}

/** URL does UTS-46 wherever there is fetch. What it refuses or reads as something else is compared as it stands. */
function asciiDomain(domain: string): string {
  const lower = domain.toLowerCase();
  if (/^[a-z0-9.-]*$/.test(lower) || /[/?#:@\\]/.test(lower)) return lower;
  return parseUrl(`http://${lower}`)?.hostname ?? lower;
}
