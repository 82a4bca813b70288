/** The commands of docs/operations.md, and by which test each is run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

export const operationsGuide = readFileSync(join(root, 'docs/operations.md'), 'utf8');

/** The blocks of the guide by name, in its order: ```` ```sh backup.sh ````. */
export const guideBlocks = new Map(
  [...operationsGuide.matchAll(/^```sh (?<name>[a-z-]+\.sh)\n(?<code>.*?)^```$/gms)].map(({ groups }) => [
    groups?.['name'] ?? '',
    groups?.['code'] ?? '',
  ]),
);

export function guideBlock(name: string): string {
  const code = guideBlocks.get(name);
  if (code === undefined) throw new Error(`docs/operations.md has no ${name}`);
  return code;
}

/** Run as they are by scripts/test/faults/operations.test.ts, one after the other. */
export const runAsTheyAre = [
  'setup.sh',
  'config.sh',
  'serve.sh',
  'first-request.sh',
  'doctor.sh',
  'accounts.sh',
  'admin-token.sh',
  'health.sh',
  'metrics.sh',
  'alerts.sh',
  'backup.sh',
  'restore.sh',
  'upgrade.sh',
  'create-database.sh',
  'copy.sh',
  'roles.sh',
  'probers.sh',
  'erase.sh',
  'audit.sh',
  'unfreeze.sh',
];

/**
 * Blocks that need a machine of their own: root, systemd, containers or a registry. That test runs these blocks with
 * programs in their places that note how they were called, and holds them to `calls`; `really` is the test that does it
 * in earnest.
 */
export const runWithNotes: Readonly<Record<string, { calls: string[]; really: string }>> = {
  'systemd.sh': {
    calls: ['systemctl daemon-reload', 'systemctl enable --now mailproof'],
    really: 'scripts/test/faults/systemd.test.ts',
  },
  'systemd-command.sh': {
    calls: [
      'systemd-run --pipe --wait -p DynamicUser=yes -p User=mailproof -p StateDirectory=mailproof -E MAILPROOF_DATA_DIR=/var/lib/mailproof mailproof accounts list',
    ],
    really: 'scripts/test/faults/systemd.test.ts',
  },
  'container.sh': {
    calls: [
      'npm run release -- --dry-run',
      'docker build --tag mailproof .',
      'docker run --read-only --tmpfs /tmp --cap-drop ALL --volume mailproof:/data --publish 127.0.0.1:8080:8080 mailproof',
    ],
    really: 'scripts/test/containers/image.test.ts',
  },
  'compose.sh': {
    calls: [
      'docker compose --file ops/compose/single.yaml up --detach --build --wait',
      'docker compose --file ops/compose/single.yaml exec mailproof cat /data/first-keys.txt',
    ],
    really: 'scripts/test/containers/image.test.ts',
  },
  'proxy.sh': {
    calls: ['nginx -t', 'systemctl reload nginx'],
    really: 'scripts/test/faults/proxies.test.ts',
  },
  'request.sh': {
    calls: ['journalctl --unit mailproof --output cat --grep REQUEST'],
    really: 'service/test/contract/account.test.ts',
  },
  'traces.sh': {
    calls: ['npm install @opentelemetry/auto-instrumentations-node', 'mailproof serve'],
    really: 'service/test/contract/traces.test.ts',
  },
};

/** Run as they are by another test. */
export const runElsewhere: Readonly<Record<string, string>> = {
  'drill.sh': 'cli/test/faults/drill.test.ts',
  'install.sh': 'scripts/test/faults/release.test.ts',
};
