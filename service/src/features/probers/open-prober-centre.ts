import { createPolicyBook, type Engine } from '@mailproof/engine';
import type { Config } from '../../core/config/config.ts';
import { engineSettings } from '../../core/config/engine-settings.ts';
import { createProbeExchange, type ProbeExchangeParts } from './probe-exchange.ts';
import type { ProbeQueue } from './probe-queue.ts';
import { createProberCentre, type ProberCentre } from './prober-centre.ts';
import { createProberControls } from './prober-controls.ts';

type CentreParts = ProbeExchangeParts & { engine: Pick<Engine, 'findMailRoute'>; queue: ProbeQueue };

/** What probers outside find here: the queue of probes, and the control mailboxes of the providers file. */
export function openProberCentre(config: Config, parts: CentreParts): ProberCentre {
  const { policyFile } = engineSettings(config, () => undefined);
  const providers = [...(policyFile?.providers.values() ?? [])];
  const exchange = createProbeExchange(parts);
  const centre = createProberCentre({
    ...parts,
    exchange,
    controls: createProberControls({
      ...parts,
      singleTimeoutMs: config.singleTimeoutMs,
      controls: providers.flatMap(({ controls }) => controls ?? []),
      findMailRoute: (address, patience) => parts.engine.findMailRoute(address, patience),
    }),
    policies: createPolicyBook({ file: policyFile, pacing: config.pacing }),
  });
  return {
    ...centre,
    close: () => {
      centre.close();
      exchange.close();
    },
  };
}
