/** Paths of the console: these and all below them are one page, which reads its own URL. */
export const consolePaths = [
  '/',
  '/check',
  '/lists',
  '/tasks',
  '/account',
  '/webhooks',
  '/invitation',
  '/operator',
];
export const consolePathsBelow = ['/lists/*', '/tasks/*', '/webhooks/*', '/operator/*'];
export const assetPath = '/assets/*';
