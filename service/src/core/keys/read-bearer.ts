/** What an `Authorization` of the scheme Bearer presents (RFC 6750); nothing where it is none, or longer than it can be. */
export function readBearer(authorization: string | undefined, most: number): string | undefined {
  const [, presented] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return presented !== undefined && presented.length <= most ? presented : undefined;
}
