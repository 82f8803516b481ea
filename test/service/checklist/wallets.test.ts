import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tried } from '../../../engine/service/checklist/wallets.ts';
import { boltzClientVersion } from '../../regtest/kit/boltz-client.ts';

const text = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the clients that were run, by their versions, are those of the documents and of the tests', () => {
  const { devDependencies } = JSON.parse(text('package.json')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const table = text('resources/docs/wallets/boltz.md');
  for (const name of ['@arkade-os/boltz-swap', 'boltz-core']) {
    const version = devDependencies[name] ?? expect.fail(`${name} is not installed`);
    expect(tried).toContain(`${name} ${version}`);
    expect(table).toContain(`| \`${name}\` ${version}`);
  }
  expect(tried).toContain(`boltz-client ${boltzClientVersion}`);
  expect(table).toMatch(new RegExp(`\\| boltz-client ${boltzClientVersion}, its Go package .* \\| run`));
});
