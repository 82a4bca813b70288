import { MailproofError, type Client } from '@mailproof/client';
import {
  fromJsonSchema,
  type CallToolResult,
  type McpServer,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import { Type, type Static, type TSchema } from 'typebox';

/** What a tool works with: the API, asked with the caller's own key, so that all that binds the key binds the tool. */
type ToolParts = {
  client: Client;
  /** With a test key the sandbox answers and nothing is charged, so there is nothing to confirm. */
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

/** The schemas are compiled once, and not for each server, of which there is one a request. */
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

/** What the caller is to be told of costs, and what makes a tool spend. */
export const confirmSchema = Type.Optional(
  Type.Boolean({
    description:
      'Spends credits only where this is true. Without it nothing is done, and the answer says what it would cost',
  }),
);

/** Shown in place of work that was not confirmed. Fixed words: nothing of the input is repeated in it. */
export const howToConfirm =
  'Nothing was done and nothing was charged. To go ahead, call again with "confirm": true.';

/** What the account could spend, where the key may see it. */
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

/** The text is the same data as JSON, for clients that hand on text alone; no sentence is made of what strangers wrote. */
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

/** A TypeBox schema is JSON Schema; written out, it is rid of what only the compiler needs. */
function asJsonSchema(schema: TSchema): Parameters<typeof fromJsonSchema>[0] {
  return JSON.parse(JSON.stringify(schema)) as Parameters<typeof fromJsonSchema>[0];
}
