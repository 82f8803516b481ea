import { readFileSync, writeFileSync } from 'node:fs';
import { openapi } from '../../engine/contract/openapi.ts';

/** Writes `resources/openapi.json`; with `--check` only says whether it is as the route table wants it. */
const file = new URL('../../resources/openapi.json', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const document = `${JSON.stringify(openapi(version), null, 2)}\n`;

function current(): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw cause;
  }
}

if (!process.argv.includes('--check')) {
  writeFileSync(file, document);
} else if (current() !== document) {
  console.error(
    'resources/openapi.json does not follow from the route table: run `node test/tools/openapi.ts` and commit the ' +
      'result.',
  );
  process.exitCode = 1;
}
