import { readFileSync } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import type { Config } from '../core/config/config.ts';
import { StartError } from '../core/config/start-error.ts';

/** A certificate with its chain, and its key, as their files hold them. */
type TlsPair = { cert: Buffer; key: Buffer };

type TlsFiles = Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>;

/** The certificate that the API is served with; none where a proxy ends TLS, or nobody does. */
export function readTlsPair({ tlsCertFile, tlsKeyFile }: TlsFiles): TlsPair | undefined {
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return undefined;
  if (tlsCertFile === undefined || tlsKeyFile === undefined)
    throw new StartError(
      'MAILPROOF_TLS_CERT_FILE and MAILPROOF_TLS_KEY_FILE go together: set both, or neither',
    );
  try {
    return readPair(tlsCertFile, tlsKeyFile);
  } catch (error) {
    throw new StartError(
      `MAILPROOF_TLS_CERT_FILE and MAILPROOF_TLS_KEY_FILE are no certificate with its key (${told(error)})`,
      error,
    );
  }
}

const lookMs = 10_000;

type RenewParts = { pair: TlsPair; onProblem: (message: string, error?: unknown) => void; everyMs?: number };

/**
 * Looks at the files again and again, and serves new connections with what they hold. A pair that does not fit, as
 * while one of two files is written, leaves the one before in use. The function it returns ends it.
 */
export function renewTlsPair(
  server: Pick<Server, 'setSecureContext'>,
  { tlsCertFile = '', tlsKeyFile = '' }: TlsFiles,
  { pair, onProblem, everyMs = lookMs }: RenewParts,
): () => void {
  let current = pair;
  let toldOf = '';
  const look = () => {
    try {
      const found = readPair(tlsCertFile, tlsKeyFile);
      toldOf = '';
      if (found.cert.equals(current.cert) && found.key.equals(current.key)) return;
      current = found;
      server.setSecureContext(found);
    } catch (error) {
      if (toldOf === told(error)) return;
      toldOf = told(error);
      onProblem('the certificate could not be read again, and the one before is used', error);
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Throws where they are no certificate, no key, or do not fit together. */
function readPair(certFile: string, keyFile: string): TlsPair {
  const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  createSecureContext(pair);
  return pair;
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
