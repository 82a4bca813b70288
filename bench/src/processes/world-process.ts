import { startWorld, type World } from '@mailproof/world';
import { populate } from '../engine/population.ts';
import { answerQuestions } from './child.ts';
import type { WorldAnswer, WorldQuestion } from './world-module.ts';

/** Starts the world it is told of and says what that has seen. */
const place: { world?: World } = {};

answerQuestions(async (question: WorldQuestion): Promise<WorldAnswer> => {
  switch (question.kind) {
    case 'start':
      place.world = await startWorld(question.description, question.options);
      break;
    case 'populate':
      place.world = await startWorld(populate(question.population));
      break;
    case 'counts':
      break;
  }
  if (place.world === undefined) throw new Error('no world was started');
  return report(place.world);
});

function report(world: World): WorldAnswer {
  const { dnsServer, smtpPort, environment, counts, violations } = world;
  const { connections, roundTrips, mostOpen } = counts.smtp;
  const seen = {
    dnsQueries: counts.dns.queries,
    connections,
    roundTrips,
    mostOpen,
    violations: violations.length,
  };
  world.reset();
  return { dnsServer, smtpPort, environment, seen };
}
