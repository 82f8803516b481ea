import { probeCertificate } from '../../adapters/tls/probe.ts';
import type { Credential } from '../../config/credentials.ts';
import { readCookie, readCredential, readCredentialFile } from '../../connections/credentials.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { Sealer } from '../../store/sealer.ts';
import type { CredentialFacts, MachineFacts } from '../judge/machine.ts';

/** Reads what the configuration names, and keeps what came of it for the report. */
export interface Files {
  /** Null where it cannot be read: the report says why. */
  credential(name: string, at: Credential): Uint8Array | null;
  /** The login in Bitcoin Core's cookie; null where there is none. */
  cookie(setting: string, path: string): { readonly user: string; readonly password: string } | null;
  /** The certificate of an authority, which is no secret. */
  authority(setting: string, path: string): Uint8Array | null;
  /** Looks whether a certificate that was read is good for this host. */
  certificate(setting: string, bytes: Uint8Array, host: string): void;
  readonly facts: Pick<MachineFacts, 'credentials' | 'certificates'>;
}

export function createFiles(sealer: Sealer | null): Files {
  const credentials: CredentialFacts[] = [];
  const certificates: MachineFacts['certificates'][number][] = [];
  const noted = (name: string, bytes: Uint8Array | Refusal, otherwise: 'sealed' | 'unreadable'): Uint8Array | null => {
    credentials.push(
      isRefusal(bytes) ? { name, is: otherwise, sentence: bytes.sentence } : { name, is: 'read', sentence: '' },
    );
    return isRefusal(bytes) ? null : bytes;
  };
  return {
    credential: (name, at) =>
      noted(name, readCredential(name, at, sealer), 'sealed' in at && sealer === null ? 'sealed' : 'unreadable'),
    cookie(setting, path) {
      const bytes = noted(setting, readCredentialFile(setting, path, false), 'unreadable');
      return bytes === null ? null : readCookie(path);
    },
    authority: (setting, path) => noted(setting, readCredentialFile(setting, path, false), 'unreadable'),
    certificate: (setting, bytes, host) => void certificates.push(probeCertificate(setting, bytes, host)),
    facts: { credentials, certificates },
  };
}

/** A credential by the setting that an owner would change. */
export function settingOf(name: string, at: Credential): string {
  return 'file' in at ? `${name}File` : name;
}

/** What stands for the answer of an endpoint that was not asked. */
export const withoutCredentials = {
  is: 'unanswered',
  why: 'not-asked',
  words: 'its credentials could not be read',
} as const;
