export const formCheckPath = '/api/v1/form-check';
export const formScriptPath = '/form.js';
export const formPagePath = '/docs/form';
export const formKeysPath = '/api/v1/account/form-keys';
export const formKeyPath = '/api/v1/account/form-keys/:formKey';
