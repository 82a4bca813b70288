import { MailproofError, type Client } from '@mailproof/client';
import {
  fromJsonSchema,
  type CallToolResult,
  type McpServer,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import { Type, type Static, type TSchema } from 'typebox';

/** Parts of a tool: the API with the caller's own key, so that all limits of the key apply to the tool. */
type ToolParts = {
  client: Client;
  /** With a test key the sandbox answers without charge, so no confirmation is needed. */
  isFree: boolean;
};

type Tool<Input extends TSchema, Output extends TSchema> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  run(input: Static<Input>, parts: ToolParts, signal: AbortSignal): Promise<Static<Output>>;
};

/** Defines a tool. The schemas are compiled once, not per server, since every request has its own server. */
export function defineTool<Input extends TSchema, Output extends TSchema>(tool: Tool<Input, Output>) {
  const { name, title, description, annotations } = tool;
  const config = {
    title,
    description,
    annotations: { title, ...annotations },
    inputSchema: fromJsonSchema<Static<Input>>(asJsonSchema(tool.input)),
    outputSchema: fromJsonSchema<Static<Output>>(asJsonSchema(tool.output)),
  };
  return (server: McpServer, parts: ToolParts): void => {
    server.registerTool(name, config, async (input, { mcpReq }) =>
      answer(() => tool.run(input, parts, mcpReq.signal)),
    );
  };
}

/** The confirmation without which a tool does not spend credits. */
export const confirmSchema = Type.Optional(
  Type.Boolean({
    description:
      'Spends credits only where this is true. Without it nothing is done, and the answer says what it would cost',
  }),
);

/** Returned in place of unconfirmed work. The text is fixed: it repeats nothing of the input. */
export const howToConfirm =
  'Nothing was done and nothing was charged. To go ahead, call again with "confirm": true.';

/** Returns the account's available credits, if the key may see them. */
export async function availableCredits(
  { client }: ToolParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return (await client.account({ signal })).credits.available;
  } catch (error) {
    if (error instanceof MailproofError && error.status === 403) return undefined;
    throw error;
  }
}

/**
 * Returns the data also as JSON text, for clients that pass on only text. Strangers' words are never put into a
 * sentence.
 */
async function answer(work: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    const structuredContent = (await work()) as Record<string, unknown>;
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    if (!(error instanceof MailproofError)) throw error;
    const { reason, status, detail, requestId } = error;
    const told = { error: { reason, http_status: status, detail, request_id: requestId } };
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(told) }] };
  }
}

/** Removes the compiler's own properties: a TypeBox schema is JSON Schema otherwise. */
function asJsonSchema(schema: TSchema): Parameters<typeof fromJsonSchema>[0] {
  return JSON.parse(JSON.stringify(schema)) as Parameters<typeof fromJsonSchema>[0];
}
