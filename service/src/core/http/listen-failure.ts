type ListenFailure = { host: string; port: number; setting: 'MAILPROOF_PORT' | 'MAILPROOF_METRICS_PORT' };

/** Why a port could not be opened, in one line for the operator. */
export function lineFor(error: unknown, { host, port, setting }: ListenFailure): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken: stop the program that holds it, or set ${setting} to another`;
  }
  if (code === 'EACCES') {
    return `port ${port} may not be opened by this user: set ${setting} to one above 1023`;
  }
  return `cannot listen on ${host}, port ${port} (${code}): set MAILPROOF_HOST to an address of this machine`;
}
