import type { Patience } from '../patience.ts';
import type { Connection } from './connection.ts';
import type { ConversationParts } from './open-conversation.ts';

/**
 * QUIT, and what its reply shows about the replies before it.
 *
 * A host that sent one reply too many has been answering the wrong command ever since; its surplus
 * reply then stands where the 221 should be. So the answers of a conversation count only once QUIT got
 * its own: `out_of_step` voids them. A host that hangs up or stays silent at QUIT proves nothing
 * against itself.
 */
export async function sayGoodbye(
  connection: Connection,
  { clock, limits }: Omit<ConversationParts, 'heloName'>,
  patience: Patience,
): Promise<'in_step' | 'out_of_step'> {
  if (connection.fault() !== undefined) {
    connection.destroy();
    return connection.fault() === 'protocol_error' ? 'out_of_step' : 'in_step';
  }
  connection.send([{ verb: 'QUIT' }]);
  const answer = await connection.read(Math.min(patience.deadline, clock.now() + limits.quitMs));
  connection.destroy();
  if (answer.kind === 'fault') return answer.fault === 'protocol_error' ? 'out_of_step' : 'in_step';
  return answer.reply.code === 221 || answer.reply.code === 421 ? 'in_step' : 'out_of_step';
}
