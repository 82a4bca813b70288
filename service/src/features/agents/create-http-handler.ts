import type { Fetch } from '@mailproof/client';
import { createMcpHandler, type AuthInfo, type McpHttpHandler } from '@modelcontextprotocol/server';
import { createMcpServer } from './create-mcp-server.ts';

/** Who calls, and the API to ask on their behalf. */
type Agent = { keyId: string; apiKey: string; fetch: Fetch };

type AgentHandler = (request: Request, agent: Agent, body: unknown) => Promise<Response>;

/** Streamable HTTP without sessions: each request gets a server of its own, and stands alone. */
export function createHttpHandler(onError: (error: Error) => void): AgentHandler {
  const handler: McpHttpHandler = createMcpHandler(({ authInfo }) => serverFor(authInfo), {
    // A stream that stays open would hold a connection for nothing: the tools never change.
    maxSubscriptions: 0,
    onerror: onError,
  });
  return (request, { keyId, apiKey, fetch }, body) => {
    const authInfo = { token: apiKey, clientId: keyId, scopes: [], extra: { fetch } };
    return handler.fetch(request, { authInfo, parsedBody: body });
  };
}

function serverFor(authInfo: AuthInfo | undefined) {
  const fetch = authInfo?.extra?.['fetch'] as Fetch | undefined;
  if (authInfo === undefined || fetch === undefined) throw new Error('an agent got in without a key');
  return createMcpServer({ baseUrl: 'http://localhost', apiKey: authInfo.token, fetch });
}
