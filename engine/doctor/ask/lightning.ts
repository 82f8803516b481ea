import { bakeCommand } from '../../adapters/lnd/permissions.ts';
import { probeLnd } from '../../adapters/lnd/probe.ts';
import { forwardThroughProxy } from '../../adapters/socks/outgoing.ts';
import type { Config } from '../../config.ts';
import type { SandboxAddresses } from '../../connections/connections.ts';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import type { LightningEndpoint } from '../judge/lightning.ts';
import { settingOf, withoutCredentials, type Files } from './files.ts';

/** Null where none is configured. */
export async function askLnd(
  { lnd, network }: Pick<Config, 'lnd' | 'network'>,
  files: Files,
  patience: number,
): Promise<LightningEndpoint | null> {
  if (lnd === null) return null;
  const cert = files.credential('lnd.cert', lnd.cert);
  const macaroon = files.credential('lnd.macaroon', lnd.macaroon);
  const forward = await forwardThroughProxy(lnd.socket);
  const socket = forward?.socket ?? lnd.socket;
  if (cert !== null)
    files.certificate(
      settingOf('lnd.cert', lnd.cert),
      cert,
      socket.slice(0, socket.lastIndexOf(':')).replace(/^\[|\]$/g, ''),
    );
  const endpoint = {
    name: `the Lightning node at ${lnd.socket}`,
    setting: 'lnd.socket',
    credentials: settingOf('lnd.macaroon', lnd.macaroon),
    certificate: settingOf('lnd.cert', lnd.cert),
    bakeCommand,
  };
  try {
    return {
      ...endpoint,
      probe:
        cert === null || macaroon === null
          ? withoutCredentials
          : await probeLnd({ socket, cert, macaroon, network, limit: patience / 2 }),
    };
  } finally {
    await forward?.stop();
  }
}

export async function askSandboxLnd(
  network: BitcoinNetwork,
  { socket, cert, macaroon }: SandboxAddresses['lnd'],
  patience: number,
): Promise<LightningEndpoint> {
  const probe = await probeLnd({
    socket,
    cert: Buffer.from(cert, 'base64'),
    macaroon: Buffer.from(macaroon, 'hex'),
    network,
    limit: patience / 2,
  });
  return { name: `the sandbox's Lightning node at ${socket}`, setting: 'the sandbox', bakeCommand, probe };
}
