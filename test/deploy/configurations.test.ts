// Each configuration that a document shows is one that the node takes: a setting that has another name is refused.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../engine/config.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { blocksOf } from '../tools/documents.ts';
import { root } from './files.ts';

const shown = ['provide', 'explain', 'operate'].flatMap((folder) => {
  const place = join(root, 'resources', 'docs', folder);
  return readdirSync(place).flatMap((name) =>
    blocksOf(readFileSync(join(place, name), 'utf8'), 'json').map((text, at) => ({ name: `${name} ${at + 1}`, text })),
  );
});

function sentenceOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-shown-'));
  try {
    const name = join(folder, 'sluice.json');
    writeFileSync(name, text, { mode: 0o600 });
    // A part of a configuration stands for one of a network that its owner named.
    const content = { network: 'mainnet', ...(JSON.parse(text) as object) };
    const config = readConfig({ flags: {}, environment: {}, file: { name, content }, stored: {} });
    return isRefusal(config) ? config.sentence : 'taken';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(shown)('the configuration of $name is taken', ({ text }) => {
  expect(sentenceOf(text)).toBe('taken');
});

test('they are those of every network, of prices, and of a first swap', () => {
  const keys = new Set(shown.flatMap(({ text }) => Object.keys(JSON.parse(text) as object)));
  const named = ['arkade', 'bitcoin', 'evm', 'lnd', 'http', 'terms', 'prices', 'taker', 'rescue'];
  expect(named.filter((key) => !keys.has(key))).toEqual([]);
});

test('one with a setting that there is not is refused', () => {
  expect(sentenceOf('{ "network": "signet", "arkade": { "uri": "https://operator.example" } }')).toMatch(/uri/);
});
