/** The matrices of faults, each as a world with its cast. */
import type { WorldDescription } from '../description.ts';
import { injectedHost, tlsFaultHost } from '../hosts.ts';
import { faults, injections, phases } from '../smtp/fault.ts';
import { tlsFaults } from '../smtp/tls-fault.ts';
import type { TlsFault } from '../smtp/tls-fault.ts';
import { safe, unknown } from './expectations.ts';
import { faultPlace } from './hostile-places.ts';
import { castOf, describe } from './place.ts';
import type { CastMember, Place } from './place.ts';

export type Matrix = { description: WorldDescription; cast: CastMember[] };

/** 8 phases × 12 faults. */
export function faultMatrix(): Matrix {
  return matrixOf(phases.flatMap((phase) => faults.map((fault) => faultPlace(phase, fault))));
}

/** 12 TLS faults, each at a host that demands TLS and at one that only offers it. */
export function tlsFaultMatrix(): Matrix {
  const places = tlsFaults.flatMap((fault): Place[] => {
    const name = fault.replaceAll('_', '-');
    const slow = fault.startsWith('stall') ? ({ slow: true } as const) : {};
    const story = `STARTTLS: ${fault.replaceAll('_', ' ')}`;
    return [
      {
        domain: `tls-${name}.test`,
        hosts: { [`mx.tls-${name}.test`]: tlsFaultHost(fault, 'demanded') },
        people: [{ who: 'alive', expect: unknown(tlsReason(fault)), story: `${story}, demanded`, ...slow }],
      },
      {
        domain: `tls-${name}-offered.test`,
        hosts: { [`mx.tls-${name}-offered.test`]: tlsFaultHost(fault, 'offered') },
        people: [{ who: 'alive', expect: safe, story: `${story}, offered only` }],
      },
    ];
  });
  return matrixOf(places);
}

/** Undefined where more than one reason would do: a host that demands TLS and refuses it. */
function tlsReason(fault: TlsFault): string | undefined {
  if (fault === 'refused') return undefined;
  if (fault === 'injected_reply') return 'protocol_error';
  return fault === 'stall_after_handshake' ? 'smtp_timeout' : 'tls_failed';
}

/** 20 injected replies, each in plaintext and inside TLS: none may become a verdict. */
export function injectionMatrix(): Matrix {
  const places = (['plaintext', 'tls'] as const).flatMap((over) =>
    injections.map((injection, index): Place => {
      const domain = `injected-${over}-${index}.test`;
      const { reply, place, phase } = injection;
      const story = `"${reply}" ${place} the reply at ${phase.replaceAll('_', ' ')}, ${over}`;
      return {
        domain,
        hosts: { [`mx.${domain}`]: injectedHost(injection, over) },
        people: [{ who: 'alive', expect: unknown('protocol_error'), story }],
      };
    }),
  );
  return matrixOf(places);
}

function matrixOf(places: Place[]): Matrix {
  return { description: describe(places), cast: castOf(places) };
}
