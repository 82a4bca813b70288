import { underName, type CommandGroup } from './command.ts';
import { backupCommand, restoreCommand } from './features/backups/backups.ts';
import { auditCommand } from './store/audit.ts';
import { copyCommand } from './store/copy.ts';
import { migrateCommand, upgradeCommand } from './store/schema.ts';

/** The commands for the database. Each also runs under its short name: `audit` is `store audit`. */
export const storeCommand: CommandGroup = {
  kind: 'group',
  name: 'store',
  summary: 'maintain the database: its schema, its ledger and copies of it',
  actions: {
    audit: underName('store audit', auditCommand),
    migrate: underName('store migrate', migrateCommand),
    upgrade: underName('store upgrade', upgradeCommand),
    backup: underName('store backup', backupCommand),
    restore: underName('store restore', restoreCommand),
    copy: underName('store copy', copyCommand),
  },
};
