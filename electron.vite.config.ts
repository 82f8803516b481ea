import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { UserConfig } from 'vite';
import { withoutDescriptions } from './contract.vite.ts';
import { documents } from './documents.vite.ts';
import { commitOf } from './engine/git-commit.ts';

const here = import.meta.dirname;
/** A release is built apart, whatever lies in `out/`. */
const out = process.env['SLUICE_OUT'] ?? `${here}/out`;

/** What runs as a program of its own; the desktop (`index`) is the only one that needs Electron. */
const programs = {
  index: 'main/index.ts',
  headless: 'main/headless.ts',
  start: 'main/start.ts',
  sandbox: 'main/cli/sandbox.ts',
  seed: 'main/cli/seed.ts',
  doctor: 'main/cli/doctor.ts',
  backup: 'main/cli/backup.ts',
  rescue: 'main/cli/rescue.ts',
  'deploy-contracts': 'main/cli/deploy-contracts.ts',
  demo: 'main/cli/demo.ts',
};
const entries = Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, `${here}/${file}`]));

/** Packages stay outside, whoever depends on them: some bring files that they look for beside themselves. */
const packages = /^(?:@[\w.-]+\/)?\w[\w.-]*(?:\/[\w./-]+)?$/;

/**
 * The page, the same for the desktop and for a browser: relative addresses, nothing inlined, nothing from elsewhere.
 */
export const page: UserConfig = {
  root: `${here}/renderer`,
  base: './',
  plugins: [
    react(),
    tailwindcss(),
    documents(`${here}/resources/docs`),
    withoutDescriptions(`${here}/engine/contract/`),
  ],
  build: {
    outDir: `${out}/renderer`,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: `${here}/renderer/index.html` },
  },
};

export default defineConfig({
  main: {
    define: { SLUICE_COMMIT: JSON.stringify(process.env['SLUICE_COMMIT'] || commitOf(here)) },
    build: {
      outDir: `${out}/main`,
      emptyOutDir: true,
      target: 'node22',
      sourcemap: true,
      minify: false,
      externalizeDeps: true,
      rolldownOptions: {
        input: entries,
        external: [packages],
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: `${out}/preload`,
      emptyOutDir: true,
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: `${here}/preload/index.ts` },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: page,
});
