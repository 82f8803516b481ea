// Writes resources/config.schema.json from the schema of the configuration; with --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { configSchema } from '../../engine/config/schema.ts';

const path = new URL('../../resources/config.schema.json', import.meta.url);
const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' });
const text = `${JSON.stringify({ title: 'Sluice configuration', ...schema }, null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(path, text);
} else if (readFileSync(path, 'utf8') !== text) {
  console.error('resources/config.schema.json is not what engine/config/schema.ts says: run test/tools/config-schema.ts and commit the result.');
  process.exitCode = 1;
}
