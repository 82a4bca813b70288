/** What a person may do: everything; work, but neither people nor keys nor webhooks; look, but change nothing. */
export const personRoles = ['owner', 'member', 'viewer'] as const;

export type PersonRole = (typeof personRoles)[number];

/** Somebody who signs in to the account with the OpenID provider. Times are ISO 8601 in UTC. */
export type Person = {
  person_id: string;
  /** As the provider told them at the last sign-in. */
  email: string | null;
  name: string | null;
  role: PersonRole;
  created_at: string;
  signed_in_at: string;
  /** Whether it is whoever asks. */
  current: boolean;
};

/** An invitation that nobody has accepted yet. */
export type Invitation = {
  invitation_id: string;
  role: PersonRole;
  /** Where it is named, nobody else may accept it. */
  email: string | null;
  created_at: string;
  expires_at: string;
};

export type PeopleList = { people: Person[]; invitations: Invitation[] };

export type InvitationRequest = { role: PersonRole; email?: string | null };

/** `url` is the link. It is told here and never again. */
export type CreatedInvitation = Invitation & { url: string };

export type PersonChange = { role: PersonRole };

/** What the endpoints of people may refuse, beside what those of the account do. */
export type PeopleErrorReason =
  'person_not_found' | 'invitation_not_found' | 'last_owner' | 'too_many_people';
