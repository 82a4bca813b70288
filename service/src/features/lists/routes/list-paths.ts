export const listsPath = '/api/v1/lists';
export const listPath = '/api/v1/lists/:listId';
export const listRowsPath = '/api/v1/lists/:listId/rows';
export const listRowPath = '/api/v1/lists/:listId/rows/:row';
export const listDownloadPath = '/api/v1/lists/:listId/download';
export const listActionPath = (action: 'start' | 'pause' | 'resume' | 'cancel') =>
  `/api/v1/lists/:listId/${action}` as const;
