/** What the first start prints, once, for a person to read and paste. The keys are not stored in this form. */
export type FirstKeys = { accountId: string; credits: number; liveKey: string; testKey: string };

export function welcome(url: string, { accountId, credits, liveKey, testKey }: FirstKeys): string {
  return `
Mailproof is ready at ${url}

  account    ${accountId}, with a paid plan and ${credits.toLocaleString('en-US')} credits
  live key   ${liveKey}
  test key   ${testKey}

The keys are not shown again. The test key is answered by the sandbox and is free. Try it:

  curl ${url}/api/v1/email-verification \\
    -H 'Authorization: Bearer ${testKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"email":"safe@example.com"}'

API reference: ${url}/docs
For more keys, accounts and credits: ./mailproof --help

`;
}
