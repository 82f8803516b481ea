import { createHmac, randomBytes } from 'node:crypto';
import { neededPermissions } from '../adapters/lnd/permissions.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { type Certificate, makeCertificate } from './wire/lnd/certificate.ts';
import { adminRights, bakeMacaroon } from './wire/lnd/macaroon.ts';
import type { Journal } from './world/journal.ts';

/** What clients of the sandbox show or check. */
export interface Secrets {
  readonly certificate: Certificate;
  /** What macaroons are signed with, and the one for the node: it may do what the node needs and no more. */
  readonly rootKey: Uint8Array;
  readonly macaroon: Uint8Array;
  /** One that may do everything, for whoever looks over the node's shoulder. */
  readonly adminMacaroon: Uint8Array;
  readonly token: string;
  /** Of the Bitcoin node's JSON-RPC. */
  readonly rpc: { readonly user: string; readonly password: string };
}

interface SecretsRow {
  readonly certificate: Certificate;
  readonly rootKey: string;
  readonly token: string;
}

export const processTable = 'process';

/** Made at the first start; kept, so that a node outlives a restart of its networks. */
export function openSecrets(journal: Journal): Secrets {
  const saved = new Map(journal.rows(processTable)).get('secrets') as SecretsRow | undefined;
  const secrets = saved ?? {
    certificate: makeCertificate(),
    rootKey: toHex(randomBytes(32)),
    token: toHex(randomBytes(32)),
  };
  if (saved === undefined) journal.put(processTable, 'secrets', secrets);
  const rootKey = fromHex(secrets.rootKey);
  // The same nonce each time: the node holds the macaroon of an earlier start.
  const bake = (rights: readonly string[]): Uint8Array => bakeMacaroon(rootKey, rights, new Uint8Array(16));
  const macaroon = bake(Object.keys(neededPermissions).map((call) => `uri:${call}`));
  const password = createHmac('sha256', rootKey).update('bitcoin-rpc').digest('hex');
  return {
    certificate: secrets.certificate,
    rootKey,
    macaroon,
    adminMacaroon: bake(adminRights),
    token: secrets.token,
    rpc: { user: 'sandbox', password },
  };
}
