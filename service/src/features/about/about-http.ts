import type { FeatureHttp } from '../../core/http/routes/http-parts.ts';
import type { AboutHttp } from './about-host.ts';
import { addAboutPage } from './about-page.ts';
import { aboutPath } from './about-paths.ts';

export const aboutHttp = ({ about }: AboutHttp): FeatureHttp => ({
  hides: (url) => about === undefined && url.startsWith(aboutPath),
  addRoutes: (server) => addAboutPage(server, about),
});
