import type { FeatureHttp } from '../../core/http/routes/http-parts.ts';
import { addConsoleFiles, type ConsoleHttp } from './console-files.ts';

export const consoleHttp = (own: ConsoleHttp): FeatureHttp => ({
  addRoutes: (server, { parts }) => addConsoleFiles(server, { parts: { ...parts, ...own } }),
});
