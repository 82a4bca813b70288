import { signal, type ReadonlySignal } from '@preact/signals';
import { pathTo, withoutBasePath } from './base-path.ts';
import { readRoute, type Route } from './route.ts';

export type Router = {
  route: ReadonlySignal<Route>;
  /** How many times the page has changed; 0 as long as it shows what it was opened with. */
  moves: ReadonlySignal<number>;
  /** Paths of pages, without the base path. */
  go(path: string): void;
  /** The same without a way back. */
  replace(path: string): void;
};

/** Follows the address bar, and turns clicks on links of ours into moves that do not load the page anew. */
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

/** Where a plain click on a link of ours leads; nothing for downloads, new tabs and other places. */
function ourPath(event: MouseEvent, origin: string): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== origin || link.target !== '' || link.hasAttribute('download'))
    return undefined;
  const path = withoutBasePath(link.pathname);
  return link.hash === '' && readRoute(path).kind !== 'not_found' ? path : undefined;
}
