import { type ReadonlySignal, signal } from '@preact/signals';
import { pathTo, withoutBasePath } from './base-path.ts';
import { readRoute, type Route } from './pages.ts';

export type Router = {
  route: ReadonlySignal<Route>;
  /** Number of moves between pages; 0 on the first page. */
  moves: ReadonlySignal<number>;
  /** Goes to the path of a page, without the base path. */
  go(path: string): void;
  /** Does the same without an entry in the history. */
  replace(path: string): void;
};

/** Follows the address bar, and turns clicks on our links into moves without a reload. */
export function createRouter(window: Window): Router {
  const { history, location, document } = window;
  const route = signal(readRoute(withoutBasePath(location.pathname)));
  const moves = signal(0);
  const follow = () => {
    route.value = readRoute(withoutBasePath(location.pathname));
    moves.value += 1;
  };
  const router: Router = {
    route,
    moves,
    go(path) {
      history.pushState(null, '', pathTo(path));
      window.scrollTo(0, 0);
      follow();
    },
    replace(path) {
      history.replaceState(null, '', pathTo(path));
      follow();
    },
  };
  window.addEventListener('popstate', follow);
  document.addEventListener('click', (event) => {
    const path = ourPath(event, location.origin);
    if (path === undefined) return;
    event.preventDefault();
    router.go(path);
  });
  return router;
}

/** Returns the path of a plain click on a link to a page; nothing for downloads, new tabs and other sites. */
function ourPath(event: MouseEvent, origin: string): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== origin || link.target !== '' || link.hasAttribute('download'))
    return undefined;
  const path = withoutBasePath(link.pathname);
  return link.hash === '' && readRoute(path).kind !== 'not_found' ? path : undefined;
}
