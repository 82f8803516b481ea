import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compile, ownSources } from '../tools/solidity.ts';

/** The compiler takes its seconds, and more beside other tests. */
const patience = 120_000;

it(
  'the contracts that are kept are those that their sources compile to',
  async () => {
    const folder = 'resources/contracts';
    const { artifacts } = await compile(folder, ownSources(folder));
    const files = readdirSync(`${folder}/compiled`).filter((file) => file !== 'build.json');
    expect(files).toEqual(Object.keys(artifacts).map((name) => `${name}.json`));
    for (const file of files) {
      const text = readFileSync(`${folder}/compiled/${file}`, 'utf8');
      expect(JSON.parse(text), file).toEqual(artifacts[file.replace('.json', '')]);
    }
  },
  patience,
);
