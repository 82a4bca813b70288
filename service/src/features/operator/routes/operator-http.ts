import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import { isAdminUrl } from '../../../core/http/pipeline/paths.ts';
import type { OperatorHttp } from '../operator-actions.ts';
import { addAdminAccountHistory } from './account-history.ts';
import { addAdminAccountKeys } from './account-keys.ts';
import { addAdminAccounts } from './accounts.ts';
import { addAdminObservation, addAdminProbers } from './observation.ts';

export const operatorHttp = ({ operator, hasOperator, showsProbers }: OperatorHttp): FeatureHttp => ({
  tags: [{ name: 'Administration', description: 'For the operator; only where an admin token is set' }],
  securitySchemes: {
    adminToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The operator’s token, `MAILPROOF_ADMIN_TOKEN`',
    },
  },
  hides: (url) => !hasOperator && isAdminUrl(url),
  addRoutes: (server, { operatorChecks }) => {
    const adminParts = { operator, onRequest: operatorChecks };
    addAdminAccounts(server, adminParts);
    addAdminAccountKeys(server, adminParts);
    addAdminAccountHistory(server, adminParts);
    addAdminObservation(server, adminParts);
    if (showsProbers) addAdminProbers(server, adminParts);
  },
});
