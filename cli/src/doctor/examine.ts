import { checkHeloName } from './check-helo-name.ts';
import { checkMachine } from './check-machine.ts';
import { checkMailPort } from './check-mail-port.ts';
import { checkResolvers } from './check-resolvers.ts';
import { checkRoutes } from './check-routes.ts';
import { checkSenderDomain, checkSpf } from './check-sender-domain.ts';
import { checkSettings } from './check-settings.ts';
import type { DoctorParts, Finding } from './check.ts';

/** Every check, side by side; the findings in the order in which things are needed. */
export async function examine(parts: DoctorParts): Promise<Finding[]> {
  const asked = await Promise.all([
    checkResolvers(parts),
    checkMailPort(parts),
    checkHeloName(parts),
    checkSenderDomain(parts),
    checkSpf(parts),
    checkRoutes(parts),
  ]);
  return [...checkMachine(parts), ...asked.flat(), ...checkSettings(parts)];
}
