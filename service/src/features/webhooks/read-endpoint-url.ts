import { portOf } from '../../core/http/outgoing/open-connection.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * Reads the URL of an endpoint: `https`, or `http` if the operator has opened a block. Without TLS only addresses in
 * that block are dialled (see send-request.ts). The address is judged at every attempt, not here: a name may point
 * elsewhere by then.
 */
export function readEndpointUrl(text: string, { httpAllowed }: { httpAllowed: boolean }): string | undefined {
  if (text.length > webhookLimits.urlCharacters || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && httpAllowed)) return undefined;
  // The signature authenticates messages; a password in a URL would be visible to everyone who sees the endpoint.
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  // Low ports other than the web's belong to other services.
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1_024) return undefined;
  return url.href;
}
