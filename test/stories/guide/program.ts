import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Chapter, Step } from './steps.ts';

/** What the code of the guide has made and the requests have kept, by name. */
export type Names = Record<string, unknown>;

/**
 * Takes a step that is no code; what the code has made until then is in the names, and the names are read again after
 * it.
 */
type Take = (step: Step) => Promise<void>;

const cache = join(import.meta.dirname, '..', '..', '..', '.cache');

/** The blocks of one chapter as a module, all that they declare by name. */
export async function libraryOf({ steps }: Chapter): Promise<Names> {
  const code = steps.map((step) => (step.is === 'code' ? step.code : '')).join('\n\n');
  const names = [...code.matchAll(/^(?:async )?(?:function|const) (\w+)/gm)].map(([, name = '']) => name);
  mkdirSync(cache, { recursive: true });
  const file = join(cache, `guide-${process.pid}.mjs`);
  writeFileSync(file, `${code}\nexport { ${names.join(', ')} };\n`);
  try {
    return { ...((await import(pathToFileURL(file).href)) as Names) };
  } finally {
    rmSync(file);
  }
}

/** What stands at the beginning of a line and is set there: `NAME = ...` and `[NAME, OTHER] = ...`. */
function namesSet(code: string): string[] {
  const single = [...code.matchAll(/^(\w+) = /gm)].map(([, name = '']) => name);
  const several = [...code.matchAll(/^\[([\w, ]+)\] = /gm)].flatMap(([, names = '']) => names.split(', '));
  return [...single, ...several];
}

/** Runs the steps of a chapter in their order, its code with the library and with the names that are known. */
export async function run({ steps }: Chapter, library: Names, names: Names, take: Take): Promise<void> {
  const made = steps.flatMap((step) =>
    step.is === 'code' ? namesSet(step.code) : step.is === 'keep' ? [...step.values.keys()] : [],
  );
  const all = [...new Set([...Object.keys(names), ...made, 'record', 'reply'])].join(', ');
  const body = steps.map((step, at) =>
    step.is === 'code'
      ? `$names.$line = ${step.line};\n${step.code}`
      : `Object.assign($names, { ${all} });\nawait $take(${at});\n({ ${all} } = $names);`,
  );
  const text = `let { ${all} } = $names;\n${body.join('\n')}\nObject.assign($names, { ${all} });`;
  const AsyncFunction = (async () => undefined).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<void>;
  const program = new AsyncFunction('$names', '$take', ...Object.keys(library), text);
  await program(
    names,
    async (at: number) => {
      const step = steps[at] as Step;
      names['$line'] = step.line;
      await take(step);
    },
    ...Object.values(library),
  );
}
