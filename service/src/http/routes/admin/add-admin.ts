import type { ApiServer, RouteParts } from '../../api-server.ts';
import { createOperatorGate } from '../../operator-gate.ts';
import { addAdminAccountHistory } from './account-history.ts';
import { addAdminAccountKeys } from './account-keys.ts';
import { addAdminAccounts } from './accounts.ts';
import { addAdminObservation } from './observation.ts';

/** Everything under `/admin/v1`, behind the operator's gate. */
export function addAdmin(server: ApiServer, { parts, door, notebook }: Omit<RouteParts, 'gate'>): void {
  const onRequest = createOperatorGate(parts, door, notebook)();
  const adminParts = { desk: parts.operatorDesk, onRequest };
  addAdminAccounts(server, adminParts);
  addAdminAccountKeys(server, adminParts);
  addAdminAccountHistory(server, adminParts);
  addAdminObservation(server, adminParts);
}
