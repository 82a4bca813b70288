import { startWorld, type WorldDescription, type WorldOptions, type World } from '@mailproof/world';
import { populate, type Population } from '../engine/population.ts';
import { answerQuestions, type ChildModule } from './child.ts';

/** The other side of the wire, in a process of its own. */
export type WorldQuestion =
  | { kind: 'start'; description: WorldDescription; options: WorldOptions }
  /** The description is made over there: a hundred thousand mailboxes need not travel. */
  | { kind: 'populate'; population: Population }
  | { kind: 'counts' };

export type WorldAnswer = {
  dnsServer: string;
  smtpPort: number;
  environment: Record<string, string>;
  /** Counts since the last question. */
  seen: { dnsQueries: number; connections: number; roundTrips: number; mostOpen: number; violations: number };
};

export const worldModule: ChildModule<WorldQuestion, WorldAnswer> = {
  path: import.meta.filename,
};

/** Starts the world it is told of and says what that has seen. */
const place: { world?: World } = {};

answerQuestions(import.meta.filename, async (question: WorldQuestion): Promise<WorldAnswer> => {
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
