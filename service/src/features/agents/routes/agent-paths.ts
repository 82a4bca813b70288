/** For agents, beside the docs. */
export const mcpPath = '/mcp';
export const llmsPath = '/llms.txt';
