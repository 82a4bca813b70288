import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import type { FormHttp } from '../form-actions.ts';
import { addFormCheck } from './form-check.ts';
import { addFormKeys } from './form-keys.ts';
import { addFormPage } from './form-page.ts';

export const formsHttp = (own: FormHttp): FeatureHttp => ({
  tags: [
    { name: 'Forms', description: 'A guard for sign-up forms, asked by browsers with a publishable key' },
  ],
  securitySchemes: {
    formKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A publishable key, `mp_pub_…`: it may stand in web pages, and is good for form checks from these alone',
    },
  },
  useFor: [{ youHave: 'a sign-up form', use: 'a publishable key and `/form.js`' }],
  addRoutes: (server, { parts, ...rest }) => {
    const routeParts = { ...rest, parts: { ...parts, ...own } };
    addFormCheck(server, routeParts);
    addFormKeys(server, routeParts);
    addFormPage(server);
  },
});
