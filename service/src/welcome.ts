/** What the first start prints, once, for a person to read and paste. The keys are stored nowhere in this form. */
export type FirstKeys = { accountId: string; credits: number; liveKey: string; testKey: string };

export function welcome(url: string, { accountId, credits, liveKey, testKey }: FirstKeys): string {
  return `
Mailproof is ready at ${url}

  account    ${accountId}, with a paid plan and ${credits} credits
  live key   ${liveKey}
  test key   ${testKey}

The keys are shown this once. The test key is answered by the sandbox and costs nothing; try it:

  curl ${url}/api/v1/email-verification \\
    -H 'Authorization: Bearer ${testKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"email":"safe@example.com"}'

Reference: ${url}/docs
More keys, accounts and credits: ./mailproof --help

`;
}
