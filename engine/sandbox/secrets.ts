import { randomBytes } from 'node:crypto';
import { fromHex, toHex } from '../domain/hex.ts';
import { type Certificate, makeCertificate } from './wire/lnd/certificate.ts';
import { bakeMacaroon } from './wire/lnd/macaroon.ts';
import type { Journal } from './world/journal.ts';

/** What clients of the sandbox show or check. */
export interface Secrets {
  readonly certificate: Certificate;
  readonly macaroon: Uint8Array;
  readonly token: string;
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
  const secrets = saved ?? { certificate: makeCertificate(), rootKey: toHex(randomBytes(32)), token: toHex(randomBytes(32)) };
  if (saved === undefined) journal.put(processTable, 'secrets', secrets);
  return { certificate: secrets.certificate, macaroon: bakeMacaroon(fromHex(secrets.rootKey)), token: secrets.token };
}
