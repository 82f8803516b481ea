import { probeCore, probeEsplora } from '../../adapters/bitcoin/probe.ts';
import { isOwnHost } from '../../adapters/lnurl/private.ts';
import type { Config, CoreConfig } from '../../config.ts';
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

async function askCore(core: CoreConfig, files: Files, patience: number): Promise<BitcoinEndpoint> {
  const login = loginOf(core, files);
  const ca = core.caFile === null ? null : files.authority('bitcoin.core.caFile', core.caFile);
  const url = new URL(core.url);
  if (ca !== null && url.protocol === 'https:')
    files.certificate('bitcoin.core.caFile', ca, url.hostname.replace(/^\[|\]$/g, ''));
  const endpoint = {
    name: `the Bitcoin node at ${url.host}`,
    kind: 'node' as const,
    setting: 'bitcoin.core.url',
    credentials: credentialsOf(core),
    ...(url.protocol === 'https:' ? { certificate: 'bitcoin.core.caFile' } : {}),
  };
  if (login === null || (core.caFile !== null && ca === null)) return { ...endpoint, answer: withoutCredentials };
  return { ...endpoint, answer: await probeCore({ url: core.url, ...login, ca }, patience) };
}

/** Null where it cannot be read: the report says why. */
function loginOf({ login }: CoreConfig, files: Files): { readonly user: string; readonly password: string } | null {
  if ('cookieFile' in login) return files.cookie('bitcoin.core.cookieFile', login.cookieFile);
  const user = files.credential('bitcoin.core.user', login.user);
  const password = files.credential('bitcoin.core.password', login.password);
  return user === null || password === null ? null : { user: String(textOf(user)), password: String(textOf(password)) };
}

/** The settings that an owner would change; the cookie first, for Core writes it by itself. */
function credentialsOf({ login }: CoreConfig): string {
  if ('cookieFile' in login) return 'bitcoin.core.cookieFile';
  return (
    `bitcoin.core.cookieFile, or ${settingOf('bitcoin.core.user', login.user)} and ` +
    `${settingOf('bitcoin.core.password', login.password)}`
  );
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
