import { probeCore, probeEsplora } from '../../adapters/bitcoin/probe.ts';
import { isOwnHost } from '../../adapters/lnurl/private.ts';
import type { Config } from '../../config.ts';
import { textOf } from '../../connections/credentials.ts';
import type { BitcoinEndpoint } from '../judge/bitcoin.ts';
import { settingOf, withoutCredentials, type Files } from './files.ts';

/** Every Bitcoin source that is configured. */
export function askBitcoin(
  { core, esplora }: Pick<Config['bitcoin'], 'core' | 'esplora'>,
  files: Files,
  patience: number,
): Promise<BitcoinEndpoint[]> {
  return Promise.all([
    ...(core === null ? [] : [askCore(core, files, patience)]),
    ...esplora.map((url, i) => askEsplora(url, `bitcoin.esplora (entry ${i + 1})`, patience)),
  ]);
}

async function askCore(
  core: NonNullable<Config['bitcoin']['core']>,
  files: Files,
  patience: number,
): Promise<BitcoinEndpoint> {
  const user = files.credential('bitcoin.core.user', core.user);
  const password = files.credential('bitcoin.core.password', core.password);
  const ca = core.caFile === null ? null : files.authority('bitcoin.core.caFile', core.caFile);
  const url = new URL(core.url);
  if (ca !== null && url.protocol === 'https:')
    files.certificate('bitcoin.core.caFile', ca, url.hostname.replace(/^\[|\]$/g, ''));
  const endpoint = {
    name: `the Bitcoin node at ${url.host}`,
    kind: 'node' as const,
    setting: 'bitcoin.core.url',
    credentials: `${settingOf('bitcoin.core.user', core.user)} and ${settingOf('bitcoin.core.password', core.password)}`,
    ...(url.protocol === 'https:' ? { certificate: 'bitcoin.core.caFile' } : {}),
  };
  if (user === null || password === null || (core.caFile !== null && ca === null))
    return { ...endpoint, answer: withoutCredentials };
  const answer = await probeCore(
    { url: core.url, user: String(textOf(user)), password: String(textOf(password)), ca },
    patience,
  );
  return { ...endpoint, answer };
}

export async function askEsplora(url: string, setting: string, patience: number): Promise<BitcoinEndpoint> {
  const { host } = new URL(url);
  return {
    name: `the Esplora server at ${host}`,
    kind: isOwnHost(new URL(url)) ? 'own' : 'public',
    setting,
    answer: await probeEsplora(url, patience),
  };
}
