import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealSeed } from '../../../main/keyfile.ts';
import { seedPath } from '../../../main/seed.ts';
import type { BitcoinNode } from './bitcoin-node.ts';

/** What a configuration says beside the network and the Bitcoin node. */
export type Settings = Readonly<Record<string, object>>;

/** What a node starts from: its folder with its seed, and the files that an owner would write beside it. */
export interface NodeFiles {
  readonly config: string;
  readonly passphraseFile: string;
  readonly folder: string;
  readonly entropy: Uint8Array;
  /** Writes the configuration anew; a node reads it when it starts. */
  configure(settings: Settings): void;
}

/** Of a node on this Bitcoin node, under a folder; the settings say what else it has. */
export async function nodeFiles(under: string, bitcoin: BitcoinNode, settings: Settings): Promise<NodeFiles> {
  const folder = join(under, 'node');
  mkdirSync(folder, { mode: 0o700 });
  const file = (name: string, content: string): string => {
    const path = join(under, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const passphrase = 'regtest';
  const entropy = new Uint8Array(randomBytes(16));
  await sealSeed(seedPath(folder), entropy, [{ way: 'passphrase', passphrase: Buffer.from(passphrase) }]);
  const { url, user, password, caFile } = bitcoin;
  const core = { url, userFile: file('user', user), passwordFile: file('password', password), caFile };
  const written = ({ bitcoin = {}, ...more }: Settings): string =>
    file('sluice.json', JSON.stringify({ network: 'regtest', live: true, bitcoin: { core, ...bitcoin }, ...more }));
  return {
    config: written(settings),
    passphraseFile: file('passphrase', passphrase),
    folder,
    entropy,
    configure: (more) => void written(more),
  };
}
