import { defectsOf, type Mutant } from './mutant.ts';

const people = [
  'service/src/features/people/identities.test.ts',
  'service/src/features/people/people.test.ts',
];
const serving = [
  ...people,
  'service/src/features/people/routes/people.test.ts',
  'service/src/features/people/routes/provider-sign-in.test.ts',
];

export const peopleMutants: readonly Mutant[] = [
  ...defectsOf('service/src/features/people/invitations.ts', people, {
    'expired invitations count': [
      `    .where('account_id', '=', arg.account)\n    .where('expires_at', '>', arg.now),`,
      `    .where('account_id', '=', arg.account),`,
    ],
    'expired invitations are shown': [`    .where('expires_at', '>', arg.now)\n    .orderBy`, '    .orderBy'],
    'an account has one person too many': [
      '>= peopleLimitTable.perAccount.value',
      '> peopleLimitTable.perAccount.value',
    ],
    'open invitations do not count': ['if (invited + (await peopleOf', 'if ((await peopleOf'],
    'people do not count': ['invited + (await peopleOf(tx, accountId))', 'invited'],
    'the store holds what accepts an invitation': [
      'const hashToken = (token: string) => createHash',
      'const hashToken = (token: string) => token.length > 9 ? token : createHash',
    ],
    'an invitation of another account is withdrawn': [
      `.where('id', '=', arg.id).where('account_id', '=', arg.account)`,
      `.where('id', '=', arg.id)`,
    ],
    'an expired invitation is accepted': [
      `\n    .where('expires_at', '>', arg.now),\n);\n\nconst findMember`,
      ',\n);\n\nconst findMember',
    ],
    'an invitation for an address is for everybody': [
      'email !== null && email.toLowerCase() !==',
      `email === '' && email.toLowerCase() !==`,
    ],
    'an invitation for an address heeds its case': [
      'email.toLowerCase() !== identity.email?.toLowerCase()',
      'email !== identity.email',
    ],
    'who is in already uses up an invitation': [
      '(await tx.first(findMember, { account: accountId, issuer, subject })) !== undefined',
      'now < 0',
    ],
    'an invitation is accepted by all who come at once': [
      `if ((await tx.change(deleteInvitation, { id: invitationId, account: accountId })) === 0)\n      return { kind: 'invitation_not_found' };\n    const id`,
      `await tx.change(deleteInvitation, { id: invitationId, account: accountId });\n    const id`,
    ],
    'who has the same name at another provider is in already': [
      `    .where('issuer', '=', arg.issuer)\n`,
      '',
    ],
    'an invitation is erased late': [
      `where('expires_at', '<=', arg.now)`,
      `where('expires_at', '<', arg.now)`,
    ],
    'everybody who is invited becomes an owner': [
      '...known, role, now });',
      `...known, role: 'owner', now });`,
    ],
    'an invitation is for an account that does not exist': [
      '(await tx.first(findAccount, { account: accountId })) === undefined',
      'now < 0',
    ],
  }),
  ...defectsOf('service/src/features/people/people.ts', people, {
    'the last owner can go': ['owners === 1 }', 'owners === 0 }'],
    'nobody who is an owner can go': ['owners === 1 }', 'owners > 0 }'],
    'people of other accounts are found': [
      `select(['id', 'role']).where('account_id', '=', arg.account)`,
      `select(['id', 'role']).where('account_id', '<>', '')`,
    ],
    'the last owner cannot stay an owner': [`if (found.role === role) return { kind: 'changed' };`, ''],
    'a new role is not written down': [
      `await recordChange(tx, { actor, action: 'person_role_set'`,
      `if (now < 0) await recordChange(tx, { actor, action: 'person_role_set'`,
    ],
    'changes of people do not wait for each other': [
      '`people ${accountId}`',
      '`people ${accountId} ${Math.random()}`',
    ],
  }),
  ...defectsOf('service/src/features/people/recognise-identity.ts', serving, {
    'a visit ends twice': [
      'if (!(await useVisit(visit, parts)))',
      `if (!(await useVisit(visit, parts)) && visit.state === '')`,
    ],
    'who is the operator gets into no account': [
      'visit.accountId === undefined && name !== undefined',
      'name !== undefined',
    ],
    'an operator is told by the case of the address': ['entry === email?.toLowerCase()', 'entry === email'],
    'the account that was opened first is opened': [
      `.orderBy('person.signed_in_at', 'desc')`,
      `.orderBy('person.signed_in_at')`,
    ],
    'a sign-in is not noted': [', signed_in_at: arg.now })\n    .where', '})\n    .where'],
    'who has the same name at another provider gets in': [`    .where('person.issuer', '=', issuer)\n`, ''],
    'a viewer may check addresses': [`viewer: ['tasks:read',`, `viewer: ['verify', 'tasks:read',`],
    'a member may make keys': [`member: ['verify',`, `member: ['account:write', 'verify',`],
    'a person of another account gets into the one that is named': [
      `memberships(db, arg).where('person.account_id', '=', arg.account)`,
      'memberships(db, arg)',
    ],
  }),
  ...defectsOf('service/src/features/people/people-actions.ts', serving, {
    'a person sees the accounts of others': [`.onRef('person.subject', '=', 'self.subject')`, ''],
  }),
];
