import { contractLimits } from '@mailproof/client';
import { Type } from 'typebox';
import { availableCredits, confirmSchema, defineTool, howToConfirm } from './tool.ts';
import { whyOf, whySchema } from './why.ts';

/** A conclusive result is charged, `unknown` is free. */
const creditsAtMost = 1;

export const addVerifyAddress = defineTool({
  name: 'verify_address',
  title: 'Verify an email address',
  description:
    `Tells whether one email address can receive mail, and why. Asks DNS and the receiving mail server; no
message is sent. With a live key it costs at most ${creditsAtMost} credit (only a conclusive result is charged, "unknown" is free)
and has to be confirmed. An absent field was not looked at, which is not the same as false.`.replaceAll(
      '\n',
      ' ',
    ),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: Type.Object(
    {
      email: Type.String({ minLength: 1, maxLength: contractLimits.emailCharacters }),
      confirm: confirmSchema,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: Type.Union([Type.Literal('verified'), Type.Literal('confirmation_needed')]),
    credits_at_most: Type.Integer({ description: 'What it costs at most' }),
    credits_used: Type.Integer({ description: 'What it cost' }),
    credits_available: Type.Optional(Type.Integer()),
    next_step: Type.Optional(Type.String()),
    request_id: Type.Optional(Type.String({ description: 'Finds it in the log of the service' })),
    result: Type.Optional(
      Type.Object({
        email: Type.String(),
        status: Type.String({
          description:
            'safe, role_account, catch_all, inbox_full, disabled, invalid, disposable, spamtrap or unknown',
        }),
        overall_score: Type.Optional(
          Type.Number({ description: 'Percent: the chance that a message arrives' }),
        ),
        is_safe_to_send: Type.Optional(Type.Boolean({ description: 'The signal to act on' })),
      }),
    ),
    why: Type.Optional(whySchema),
  }),
  async run({ email, confirm }, parts, signal) {
    const cost = parts.isFree ? 0 : creditsAtMost;
    if (!parts.isFree && confirm !== true) {
      const available = await availableCredits(parts, signal);
      return {
        outcome: 'confirmation_needed' as const,
        credits_at_most: cost,
        credits_used: 0,
        ...(available === undefined ? {} : { credits_available: available }),
        next_step: howToConfirm,
      };
    }
    const answered = await parts.client.verify(email, { explain: true, signal });
    const { explanation, creditsUsed, requestId, ...result } = answered;
    return {
      outcome: 'verified' as const,
      credits_at_most: cost,
      credits_used: creditsUsed,
      ...(requestId === undefined ? {} : { request_id: requestId }),
      result,
      ...(explanation === undefined ? {} : { why: whyOf(explanation) }),
    };
  },
});
