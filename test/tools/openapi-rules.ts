// Two independent linters over resources/openapi.json, by all that they recommend: nothing may be left, no warning
// either.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lint } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const file = fileURLToPath(new URL('../../resources/openapi.json', import.meta.url));

async function byRedocly(): Promise<string[]> {
  const problems = await lint({ ref: file, config: await createConfig({ extends: ['recommended'] }) });
  return problems.map(
    ({ ruleId, message, location: [at] }) => `redocly ${ruleId} at ${at?.pointer ?? '#'}: ${message}`,
  );
}

async function bySpectral(): Promise<string[]> {
  const linter = new spectral.Spectral();
  const oas = rulesets.oas as unknown as RulesetDefinition; // Its own type leaves out what it says elsewhere.
  // Whom to ask about a node is its owner's to say: the document of all nodes knows nobody.
  linter.setRuleset({ extends: [[oas, 'recommended']], rules: { 'info-contact': 'off' } });
  const problems = await linter.run(readFileSync(file, 'utf8'));
  return problems.map(({ code, message, path }) => `spectral ${code} at #/${path.join('/')}: ${message}`);
}

const problems = [...(await byRedocly()), ...(await bySpectral())];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
