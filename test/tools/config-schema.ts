// Writes resources/config.schema.json from the schema of the configuration; with --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { credentialPlaces } from '../../engine/config/credentials.ts';
import { configSchema } from '../../engine/config/schema.ts';

const path = new URL('../../resources/config.schema.json', import.meta.url);
const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' });
// What only owner routes store has no place in a file, and so none in what an editor offers.
for (const { of, name } of credentialPlaces) delete propertiesAt(schema, of)[name];
const text = `${JSON.stringify({ title: 'Sluice configuration', ...schema }, null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(path, text);
} else if (readFileSync(path, 'utf8') !== text) {
  console.error(
    'resources/config.schema.json is not what engine/config/schema.ts says: run test/tools/config-schema.ts and ' +
      'commit the result.',
  );
  process.exitCode = 1;
}

type Properties = Record<string, unknown>;

/** An object that may be null is one of two in the schema. */
function propertiesAt(root: unknown, path: readonly string[]): Properties {
  let at = root as { properties?: Properties; anyOf?: { properties?: Properties }[] };
  for (const step of path) at = (propertiesOf(at)[step] ?? {}) as typeof at;
  return propertiesOf(at);
}

function propertiesOf(node: { properties?: Properties; anyOf?: { properties?: Properties }[] }): Properties {
  const properties = node.properties ?? node.anyOf?.find((one) => one.properties !== undefined)?.properties;
  if (properties === undefined)
    throw new Error('the schema of the configuration has another shape than this program expects');
  return properties;
}
