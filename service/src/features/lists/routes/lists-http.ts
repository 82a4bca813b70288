import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import type { ListHttp } from '../list-actions.ts';
import { addChangeList } from './change-list.ts';
import { addCreateList } from './create-list.ts';
import { listsPath } from './list-paths.ts';
import { addReadLists } from './read-lists.ts';

export const listsHttp = (own: ListHttp): FeatureHttp => ({
  tags: [{ name: 'Lists', description: 'A file with addresses, checked and given back with what was found' }],
  useFor: [
    { youHave: 'a file', use: `\`POST ${listsPath}\` with the file as the body, then start the list` },
  ],
  addRoutes: (server, { parts, ...rest }) => {
    const routeParts = { ...rest, parts: { ...parts, ...own } };
    addCreateList(server, routeParts);
    addReadLists(server, routeParts);
    addChangeList(server, routeParts);
  },
});
