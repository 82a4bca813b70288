import { createPostgresDatabase } from '../../support/postgres/test-postgres.ts';

/** Where the service keeps its data, as settings: each time a place of its own, with nothing in it. */
type DatabasePlace = { name: 'SQLite' | 'PostgreSQL'; settings: () => Promise<Record<string, string>> };

export const databasePlaces: DatabasePlace[] = [
  { name: 'SQLite', settings: () => Promise.resolve({}) },
  {
    name: 'PostgreSQL',
    settings: async () => ({ MAILPROOF_DATABASE_URL: (await createPostgresDatabase('empty')).url }),
  },
];
