import { decodedPath } from '../../../core/http/pipeline/paths.ts';

export const sessionPath = '/session';
export const signInOptionsPath = '/session/options';
export const providerPath = '/session/provider';
export const callbackPath = '/session/callback';
export const peoplePath = '/api/v1/account/people';
export const personPath = '/api/v1/account/people/:personId';
export const invitationsPath = '/api/v1/account/invitations';
export const invitationPath = '/api/v1/account/invitations/:invitationId';

/** Returns whether a path exists only if an OpenID provider is set. */
export function isPeopleUrl(url: string): boolean {
  const path = decodedPath(url);
  return (
    [providerPath, callbackPath, peoplePath, invitationsPath].includes(path) ||
    [`${peoplePath}/`, `${invitationsPath}/`].some((folder) => path.startsWith(folder)) ||
    /^\/admin\/v1\/accounts\/[^/]+\/(?:people|invitations)$/.test(path)
  );
}
