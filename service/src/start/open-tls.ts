import { readFileSync } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import type { Config } from '../core/config/config.ts';
import { StartError } from '../core/config/start-error.ts';

/** A certificate with its chain, and its key, as their files hold them. */
type TlsPair = { cert: Buffer; key: Buffer };

type TlsFiles = Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>;

/** Reads the API's certificate; `undefined` if a proxy ends TLS or there is no TLS. */
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
 * Reads the files at intervals, and serves new connections with their content. While the files do not match, for
 * example during a renewal, the previous pair stays in use. Returns the function that ends this.
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
      onProblem('cannot read the certificate again; the previous one stays in use', error);
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Throws if the files are not a certificate and a key, or do not match. */
function readPair(certFile: string, keyFile: string): TlsPair {
  const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  createSecureContext(pair);
  return pair;
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
