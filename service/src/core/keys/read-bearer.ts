/**
 * Returns the token of an `Authorization` header with the scheme Bearer (RFC 6750); `undefined` if there is none,
 * or it is too long.
 */
export function readBearer(authorization: string | undefined, most: number): string | undefined {
  const [, presented] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return presented !== undefined && presented.length <= most ? presented : undefined;
}
