import { hasOwner, readEgress, StoreOpenError, type EgressAddress } from '@mailproof/service';
import type { DoctorParts, Finding } from './check.ts';
import { lookAtStore } from './look-at-store.ts';

const check = 'probers';

/** Who asks mail hosts now, as the running service notes it, and what keeps each from asking. Only reads. */
export async function checkProbers({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  try {
    const rows = (await lookAtStore(config, ({ read }) => readEgress(read))) ?? [];
    const now = Date.now();
    return findingsOf(rows.filter((row) => hasOwner(row, now)));
  } catch (error) {
    if (error instanceof StoreOpenError) return [{ check, state: 'not_checked', seen: error.line }];
    throw error;
  }
}

function findingsOf(owned: EgressAddress[]): Finding[] {
  const unwell = owned.filter(({ well }) => !well);
  if (owned.length === 0) return [{ check, state: 'not_checked', seen: 'none is running now' }];
  if (unwell.length === 0)
    return [{ check, state: 'ok', seen: `can ask from ${owned.map(({ name }) => name).join(', ')}` }];
  // Where another can ask, verdicts go on.
  const state = unwell.length === owned.length ? 'problem' : 'warning';
  return unwell.map(({ name, whyNot }) => ({
    check,
    state,
    seen: `${name} cannot ask: ${whyNot.replaceAll('_', ' ')}`,
    remedy: remedyFor(whyNot),
  }));
}

function remedyFor(whyNot: string): string {
  if (whyNot === 'mail_port_blocked')
    return 'Ask the hosting provider to open outbound port 25, or run a prober where it is open (mailproof serve --role prober, or mailproof prober).';
  if (whyNot === 'identity_unproven')
    return 'Set MAILPROOF_HELO_NAME, MAILPROOF_MAIL_FROM and, behind NAT, MAILPROOF_PUBLIC_ADDRESS where it runs; mailproof doctor there says what is wrong.';
  if (whyNot === 'resting')
    return 'Ask the providers to delist the IP address, and check its reputation. Do not switch to another address to get around the block.';
  return 'Check the log of the process or prober that owns it.';
}
