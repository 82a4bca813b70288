import { readFileSync, writeFileSync } from 'node:fs';
import { llmsText } from '../service/src/features/agents/routes/llms-text.ts';
import { clientTypes } from './client-types.ts';
import { limitsPage } from './limits-page.ts';
import { metricsPage } from './metrics-page.ts';
import { providersPage } from './providers-page.ts';
import { reasonsPage } from './reasons-page.ts';
import { readCosts } from './scale/read-costs.ts';
import { scalePage } from './scale-page.ts';
import { scorePage } from './score-page.ts';
import { settingsPage } from './settings-page.ts';

/** `npm run docs`: writes the pages and the types of the client that are made from code. */
for (const [file, text] of await clientTypes())
  writeFileSync(new URL(`../client/src/${file}`, import.meta.url), text);
writeFileSync(new URL('../docs/limits.md', import.meta.url), limitsPage());
writeFileSync(new URL('../docs/llms.txt', import.meta.url), llmsText(''));
writeFileSync(new URL('../docs/metrics.md', import.meta.url), await metricsPage());
writeFileSync(new URL('../docs/providers.md', import.meta.url), providersPage());
writeFileSync(new URL('../docs/reasons.md', import.meta.url), reasonsPage());
writeFileSync(new URL('../docs/score.md', import.meta.url), scorePage());
writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsPage());

const scale = new URL('../docs/scale.md', import.meta.url);
writeFileSync(scale, scalePage(readFileSync(scale, 'utf8'), readCosts()));
