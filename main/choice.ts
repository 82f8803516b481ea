import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { ChosenNetwork } from '../preload/setup.ts';
import type { HostFlags } from './flags.ts';
import { defaultFolder, readIfThere } from './folder.ts';
import { writePrivate } from './private-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which data folder the desktop opens when neither a flag nor the environment says it; null until its owner chose. */
export interface Choice {
  /** Whether flags or the environment decide, so that nothing is left to choose. */
  readonly fixed: boolean;
  network(): ChosenNetwork | null;
  choose(network: ChosenNetwork): void;
}

const stored = z.object({ version: z.literal(1), network: z.enum(['sandbox', 'mainnet', 'signet', 'mutinynet']) });

export function desktopChoice(flags: HostFlags, environment: Environment, platform: NodeJS.Platform): Choice {
  const path = join(dirname(defaultFolder('sandbox', platform, environment)), 'desktop.json');
  return {
    fixed:
      flags.sandbox ||
      flags.config !== null ||
      flags.dataDir !== null ||
      Object.keys(environment).some((name) => name.startsWith('SLUICE_')),
    network: () => readChoice(readIfThere(path)),
    choose(network) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writePrivate(path, Buffer.from(`${JSON.stringify({ version: 1, network })}\n`));
    },
  };
}

/** A file that cannot be read counts as no choice: the sandbox opens, and the owner chooses again. */
function readChoice(text: string | null): ChosenNetwork | null {
  if (text === null) return null;
  try {
    return stored.parse(JSON.parse(text)).network;
  } catch {
    return null; // Nothing is lost: it names a folder, and each folder knows its own network.
  }
}

/** What a start for the chosen network would have been given by hand. */
export function chosenStart(
  network: ChosenNetwork | null,
  flags: HostFlags,
  environment: Environment,
): { readonly flags: HostFlags; readonly environment: Environment } {
  if (network === null) return { flags, environment };
  if (network === 'sandbox') return { flags: { ...flags, sandbox: true }, environment };
  return { flags, environment: { ...environment, SLUICE_NETWORK: network } };
}
