import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import { addLlmsText } from './llms-text.ts';
import { addMcp } from './mcp.ts';

export const agentsHttp = (): FeatureHttp => ({
  addRoutes: (server, routeParts) => {
    addLlmsText(server, routeParts.parts.basePath);
    addMcp(server, routeParts);
  },
});
