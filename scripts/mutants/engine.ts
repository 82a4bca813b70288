import type { Mutant } from './mutant.ts';

const running = ['service/src/core/verify/tasks/run-task.test.ts'];
const judging = ['engine/src/verdict.test.ts'];
const reading = [
  'engine/src/replies/classifier/classify-reply.test.ts',
  'engine/src/replies/classifier/about-us.test.ts',
  'engine/src/replies/rules/rules.test.ts',
];
const dialling = ['engine/src/egress/judge-address.test.ts', 'engine/src/egress/create-dialer.test.ts'];

export const verdictMutants: readonly Mutant[] = [
  {
    name: 'a spam trap is asked for',
    file: 'engine/src/verdict.ts',
    find: `  if (lists.spamtrap) return listed(evidence, 'spamtrap');\n`,
    replace: '',
    tests: judging,
  },
  {
    name: 'disposable outranks a spam trap',
    file: 'engine/src/verdict.ts',
    find: `  if (lists.spamtrap) return listed(evidence, 'spamtrap');\n  if (lists.disposable) return listed(evidence, 'disposable');`,
    replace: `  if (lists.disposable) return listed(evidence, 'disposable');\n  if (lists.spamtrap) return listed(evidence, 'spamtrap');`,
    tests: judging,
  },
  {
    name: 'accepted without knowing of a catch-all is safe',
    file: 'engine/src/verdict.ts',
    find: `    case 'undetermined':\n      return unknown(evidence);`,
    replace: `    case 'undetermined':\n      return asked(evidence, 'safe');`,
    tests: judging,
  },
  {
    name: 'a deferral condemns the mailbox',
    file: 'engine/src/verdict.ts',
    find: `    case 'mailbox_not_exist':\n`,
    replace: `    case 'mailbox_not_exist':\n    case 'greylisted_or_temporary':\n`,
    tests: judging,
  },
  {
    name: 'a catch-all is safe to send to',
    file: 'engine/src/verdict.ts',
    find: `is_safe_to_send: status === 'safe' ||`,
    replace: `is_safe_to_send: status === 'catch_all' || status === 'safe' ||`,
    tests: judging,
  },
  {
    name: 'unknown is charged for',
    file: 'engine/src/verdict.ts',
    find: `  'spamtrap',\n]);`,
    replace: `  'spamtrap',\n  'unknown',\n]);`,
    tests: [...judging, ...running],
  },
];

export const replyMutants: readonly Mutant[] = [
  {
    name: 'a temporary refusal condemns',
    file: 'engine/src/replies/classifier/classify-reply.ts',
    find: 'if (read.outerClass !== 5 && condemnsMailbox(meaning.label))',
    replace: 'if (read.outerClass === 9 && condemnsMailbox(meaning.label))',
    tests: reading,
  },
  {
    name: 'words about us condemn the mailbox',
    file: 'engine/src/replies/classifier/classify-reply.ts',
    find: 'if (read.namesUsAlone && ',
    replace: 'if (read.outerClass === 9 && ',
    tests: reading,
  },
  {
    name: 'a reply of class 3 is an acceptance',
    file: 'engine/src/replies/classifier/classify-reply.ts',
    find: 'code >= 250 && code <= 252',
    replace: 'code >= 250 && code <= 399',
    tests: reading,
  },
  {
    name: 'the outer words of a quoted refusal are not heard',
    file: 'engine/src/replies/classifier/classify-reply.ts',
    find: 'const complaint = around && firstMatch(complaints, around);',
    replace: 'const complaint = around && firstMatch([], around);',
    tests: reading,
  },
];

export const egressMutants: readonly Mutant[] = [
  {
    name: 'this machine may be dialled',
    file: 'engine/src/egress/judge-address.ts',
    find: 'if (own.some((known) => known.family === ip.family && known.value === ip.value)) {',
    replace: 'if (own.length < 0) {',
    tests: dialling,
  },
  {
    name: 'an IPv4 address in an IPv6 one is not seen',
    file: 'engine/src/egress/judge-address.ts',
    find: `if (row?.kind === 'embedding') return whyEmbeddedForbidden(row.special, ip, own);`,
    replace: `if (row?.kind === 'embedding') return undefined;`,
    tests: dialling,
  },
  {
    name: 'a mapped address is another place',
    file: 'engine/src/egress/judge-address.ts',
    find: 'const place = unmap(ip);',
    replace: 'const place = ip;',
    tests: dialling,
  },
  {
    name: 'all of IPv6 is public',
    file: 'engine/src/egress/judge-address.ts',
    find: 'ip.family === 6 && ip.value >> 125n !== 1n',
    replace: 'ip.family === 6 && ip.value < 0n',
    tests: dialling,
  },
  {
    name: 'forbidden addresses are dialled',
    file: 'engine/src/egress/create-guarded-dialer.ts',
    find: 'if (isForbidden(target.address)) {',
    replace: 'if (isForbidden(target.address) && counts.dialled < 0) {',
    tests: dialling,
  },
  {
    name: 'the connected socket is not judged again',
    file: 'engine/src/egress/create-guarded-dialer.ts',
    find: 'if (!isForbidden(remoteAddress))',
    replace: 'if (remoteAddress)',
    tests: dialling,
  },
];
