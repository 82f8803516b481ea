// npm run generate: rewrites every file that the code decides. npm run check compares the same ones.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '../../main/help.ts';

answerHelp('npm run generate -- [--help]', 'Writes every file that the code decides.', {});

for (const tool of [
  'openapi.ts',
  'diagrams.ts',
  'engine-readme.ts',
  'config-schema.ts',
  'reference.ts',
  'contracts.ts',
  'evm-genesis.ts',
]) {
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(`./${tool}`, import.meta.url))], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
