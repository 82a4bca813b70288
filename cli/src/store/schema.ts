import {
  lookAtUpgrade,
  readSchemaVersion,
  StoreOpenError,
  StoreUnavailableError,
  type PlannedStep,
  type UpgradePlan,
} from '@mailproof/service';
import { defineCommand, exitCodes } from '../command.ts';
import { loadConfig } from '../config.ts';
import { counted } from '../present/text.ts';
import { programVersion } from '../program.ts';
import { printRows, withStore } from './with-store.ts';

export const migrateCommand = defineCommand({
  name: 'migrate',
  takes: '[--json]',
  summary: 'update the database schema to this version',
  options: { json: { type: 'flag', meaning: '{schema}' } },
  notes: [
    'The service also does this when it starts. Run it yourself if the service is not allowed to change tables, or if you want to do it in advance. Migrations only add, so the previous version can keep running.',
  ],
  examples: ['mailproof migrate', 'MAILPROOF_DATABASE_URL=postgres://owner@db/mailproof mailproof migrate'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(
      surroundings,
      async (parts) => {
        // Opening it was all there was to do.
        const schema = await readSchemaVersion(parts);
        return printRows(
          [{ row: { schema }, words: `The database has schema version ${schema}` }],
          options,
          surroundings,
        );
      },
      'migrate',
    ),
});

export const upgradeCommand = defineCommand({
  name: 'upgrade',
  takes: '--check [--json]',
  summary: 'show the changes that this version would make to the database',
  options: {
    check: { type: 'flag', meaning: 'look, and change nothing' },
    json: { type: 'flag', meaning: '{program, outcome, known, version?, goesOn?, steps?}' },
  },
  notes: [
    'Run it with the new version, while the old one is serving. To upgrade: take a backup, install the new package, and restart the processes one by one; the first to start changes the schema (or mailproof migrate does).',
    'The exit code is 1 if this version cannot work on the database, because a newer one has changed it.',
  ],
  examples: [
    'mailproof upgrade --check',
    'MAILPROOF_DATABASE_URL=postgres://… mailproof upgrade --check --json',
  ],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const { terminal } = surroundings;
    if (!options.check) {
      terminal.tell(
        'mailproof: This command upgrades nothing. To see the changes ahead, add --check; to upgrade, see mailproof upgrade --help.',
      );
      return exitCodes.usage;
    }
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    try {
      const plan = await lookAtUpgrade(config);
      const { kind: outcome, ...facts } = plan;
      const program = programVersion();
      const text = options.json
        ? JSON.stringify({ program, outcome, ...facts })
        : [`This is version ${program}, which has schema ${plan.known}.`, ...describePlan(plan)].join('\n');
      await terminal.write(`${text}\n`);
      return outcome === 'too_new' ? exitCodes.found : exitCodes.ok;
    } catch (error) {
      if (!(error instanceof StoreOpenError || error instanceof StoreUnavailableError)) throw error;
      terminal.tell(`mailproof: ${error.message}`);
      return exitCodes.environment;
    }
  },
});

function describePlan(plan: UpgradePlan): string[] {
  switch (plan.kind) {
    case 'new':
      return ['There is no database yet. The first start makes it.'];
    case 'up_to_date':
      return ['The database has the same schema. Nothing is changed, and going back needs nothing either.'];
    case 'serves_older':
      return [
        `The database has schema ${plan.version} of a newer version, which serves this one too. Nothing is changed.`,
      ];
    case 'too_new':
      return [
        `The database has schema ${plan.version} of a newer version, on which this one does not work. Run that one.`,
      ];
    case 'migrates':
      return [
        `The database has schema ${plan.version}. The first start, or mailproof migrate, changes it:`,
        ...plan.steps.map(describeStep),
        plan.goesOn
          ? 'Processes of the version before go on working meanwhile, and can be started again afterwards.'
          : 'Stop all processes of the version before first: they do not work on the new schema. Take a backup.',
      ];
  }
}

function describeStep({ version, creates, extends: extended, drops, indexes }: PlannedStep): string {
  const parts = [
    ...(creates.length === 0 ? [] : [`creates ${creates.join(', ')}`]),
    ...(extended.length === 0 ? [] : [`adds columns to ${extended.join(', ')}`]),
    ...(drops.length === 0 ? [] : [`drops ${drops.join(', ')}, which nothing uses`]),
    ...indexes.map(
      ({ table, rows }) => `builds indexes of ${table} (${counted(rows, 'row')}), whose writes wait`,
    ),
  ];
  return `  ${version}: ${parts.length === 0 ? 'changes rules or indexes' : parts.join('; ')}`;
}
