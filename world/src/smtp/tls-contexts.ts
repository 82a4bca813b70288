/** The certificates of the world's mail hosts, made ready once a world and only when asked for. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { SecureContext, SecureContextOptions } from 'node:tls';
import type { TlsFault } from './tls-fault.ts';

export type TlsContexts = { forFault(fault: TlsFault | undefined): SecureContext };

const certificates = new URL('../certificates/', import.meta.url);
const hugeChainBytes = 200 * 1_024;

export function tlsContexts(): TlsContexts {
  const made = new Map<TlsFault | undefined, SecureContext>();
  return {
    forFault(fault) {
      const context = made.get(fault) ?? createSecureContext(optionsFor(fault));
      made.set(fault, context);
      return context;
    },
  };
}

function optionsFor(fault: TlsFault | undefined): SecureContextOptions {
  const cert = readFileSync(new URL('test-only-certificate.pem', certificates), 'utf8');
  const key = readFileSync(new URL('test-only-key.pem', certificates), 'utf8');
  switch (fault) {
    case 'huge_chain':
      return { key, cert: cert.repeat(timesToReach(hugeChainBytes, cert)) };
    case 'old_version':
      // OpenSSL speaks TLS 1.1 only at its lowest level of security.
      return { key, cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    case 'stall_before_finished':
      // In TLS 1.3 the server's Finished is part of its first flight.
      return { key, cert, maxVersion: 'TLSv1.2' };
    case 'refused':
    case 'garbage':
    case 'close':
    case 'reset':
    case 'stall_before_hello':
    case 'stall_inside_hello':
    case 'stall_after_handshake':
    case 'bad_record':
    case 'injected_reply':
    case undefined:
      return { key, cert };
  }
}

/** PEM is four thirds of what goes on the wire. */
function timesToReach(bytes: number, pem: string): number {
  return Math.ceil((bytes * 4) / 3 / pem.length) + 1;
}
