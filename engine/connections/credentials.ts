import { readFileSync, statSync } from 'node:fs';
import { credentialPlaces, placeName, type Credential } from '../config/credentials.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import type { Sealer } from '../store/sealer.ts';

const secretNames: ReadonlySet<string> = new Set(credentialPlaces.filter(({ secret }) => secret).map(placeName));

/** The bytes of a credential, or one sentence with what keeps them away. `name` is its place, as `lnd.macaroon`. */
export function readCredential(name: string, credential: Credential, sealer: Sealer | null): Uint8Array | Refusal {
  if ('file' in credential) return readCredentialFile(`${name}File`, credential.file, secretNames.has(name));
  if (sealer === null)
    return refuse('unauthorized', `${name} is sealed in the data folder and opens only inside the node.`);
  try {
    return sealer.open(fromHex(credential.sealed), name);
  } catch {
    return refuse(
      'unauthorized',
      `${name} was sealed under the key of another seed: give it again to PATCH /owner/settings.`,
    );
  }
}

export function sealCredential(name: string, bytes: Uint8Array, sealer: Sealer): { sealed: string } {
  return { sealed: toHex(sealer.seal(bytes, name)) };
}

/** A secret that others on this machine may read is none: it is refused instead of used. */
export function readCredentialFile(setting: string, path: string, secret: boolean): Uint8Array | Refusal {
  let bytes: Uint8Array;
  try {
    const mode = statSync(path).mode & 0o777;
    if (secret && process.platform !== 'win32' && (mode & 0o077) !== 0)
      return refuse(
        'unauthorized',
        `The file ${path} of ${setting} may be read by others (mode ${mode.toString(8).padStart(4, '0')}), a ` +
          `secret has mode 0600: run chmod 600 ${path}.`,
      );
    bytes = readFileSync(path);
  } catch (cause) {
    return refuse(
      'not-found',
      `The file ${path} of ${setting} cannot be read (${(cause as NodeJS.ErrnoException).code ?? String(cause)}): ` +
        'check its name and its owner.',
    );
  }
  return bytes.length === 0
    ? refuse('invalid', `The file ${path} of ${setting} is empty: put the credential into it.`)
    : bytes;
}

/** User names and passwords are lines of text; editors leave a line end behind them. */
export function textOf(bytes: Uint8Array | Refusal): string | Refusal {
  return isRefusal(bytes) ? bytes : new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
}

/**
 * The login in Bitcoin Core's cookie, `__cookie__:` and what it made up at its last start. Null while there is none:
 * Core takes it away when it ends. Who may read it is Core's to say (`-rpccookieperms`).
 */
export function readCookie(path: string): { readonly user: string; readonly password: string } | null {
  const text = textOf(readCredentialFile('bitcoin.core.cookieFile', path, false));
  if (isRefusal(text)) return null;
  const colon = text.indexOf(':');
  return colon < 0 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
