/** What `/docs` opens with, in Markdown. Its example is the first one of docs/api.md, which a test runs. */
export const introduction = (more: readonly { youHave: string; use: string }[]): string =>
  `
Mailproof tells whether an email address can receive mail, and shows the evidence. It asks DNS and the receiving mail
server; no message is ever sent.

## Quick start

Send your key as \`Authorization: Bearer …\`. A key that starts with \`mp_live_\` asks real mail servers and uses credits;
one that starts with \`mp_test_\` is answered by the sandbox, free of charge: \`safe@example.com\` is \`safe\`,
\`invalid@example.com\` is \`invalid\`, and so on for every status. Keys are made in the console, under **Account**.

\`\`\`sh
curl -s "$MAILPROOF_URL/api/v1/email-verification" \\
  -H "Authorization: Bearer $MAILPROOF_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"email":"ada@example.com"}'
\`\`\`

| you have                    | use                                                                             |
| --------------------------- | ------------------------------------------------------------------------------- |
| one address                 | \`POST /api/v1/email-verification\` with \`email\`: the answer is the result        |
| up to 100 addresses         | \`POST /api/v1/bulk-email-verification\` with \`emails\`, then ask for the task     |
${more.map(({ youHave, use }) => `| ${youHave.padEnd(27)} | ${use.padEnd(79)} |\n`).join('')}
## Results

\`status\` is the outcome, \`is_safe_to_send\` what to act on. **A field without evidence is absent, never \`false\`.**

| status | what to do |
| ------ | ---------- |
| \`safe\` | send |
| \`role_account\` | send what concerns the function |
| \`catch_all\` | the domain accepts everything: send in small numbers, and watch the bounces |
| \`inbox_full\` | verify again in some days |
| \`disabled\`, \`invalid\`, \`disposable\`, \`spamtrap\` | do not send |
| \`unknown\` | the mail server told nothing: keep it, and ask again later; free of charge |

## Errors

Every error is \`{"status":"error","reason":"…"}\` and free of charge. Decide by \`reason\`. Repeat 503 after
\`Retry-After\` seconds. Send an \`Idempotency-Key\` of your own with a POST, and it can be repeated for 24 hours without
being charged twice. \`X-Request-Id\` of a response finds it in the log of the service.
`.trim();
