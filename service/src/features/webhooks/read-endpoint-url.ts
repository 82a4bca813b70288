import { portOf } from '../../core/http/outgoing/open-connection.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * Where an endpoint may be: `https`, or `http` where the operator has opened a block (only an address in it is then
 * dialled without TLS, see send-request.ts). Which address it is, is judged at every attempt and not here: a name may
 * point anywhere by then.
 */
export function readEndpointUrl(text: string, { httpAllowed }: { httpAllowed: boolean }): string | undefined {
  if (text.length > webhookLimits.urlCharacters || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && httpAllowed)) return undefined;
  // What is secret stands in the signature; a password in a URL is shown to everybody who sees the endpoint.
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  // The ports of other services than the web are not for us to knock at.
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1_024) return undefined;
  return url.href;
}
