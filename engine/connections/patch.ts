import { isAbsolute } from 'node:path';
import { credentialPlaces, placeName, treeAt } from '../config/credentials.ts';
import { isTree, type Tree } from '../config/tree.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { Sealer } from '../store/sealer.ts';
import { sealCredential } from './credentials.ts';

/** RFC 7386: null takes a setting back to its default, objects are merged, anything else is replaced. */
export function merged(stored: Tree, patch: Tree): Tree {
  const result: Tree = { ...stored };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = isTree(value) ? merged(isTree(result[name]) ? result[name] : {}, value) : value;
  }
  for (const { of, name } of credentialPlaces) {
    const [given, parent] = [treeAt(patch, of), treeAt(result, of)];
    if (given?.[name] !== undefined && parent !== null) delete parent[`${name}File`];
    if (given?.[`${name}File`] !== undefined && parent !== null) delete parent[name];
  }
  return result;
}

/** The places of single values in a patch, `lnd.socket`. */
export function leaves(patch: Tree, above: readonly string[] = []): (readonly string[])[] {
  return Object.entries(patch).flatMap(([name, value]) =>
    isTree(value) && !('sealed' in value) ? leaves(value, [...above, name]) : [[...above, name]],
  );
}

/** The value at a place, or at the nearest one above it that is no object; undefined for none. */
export function heldAt(content: unknown, path: readonly string[]): unknown {
  let at = content;
  for (const step of path) {
    if (!isTree(at)) return at === undefined ? undefined : at;
    at = at[step];
  }
  return at;
}

/** A patch whose credentials are sealed, and whose credentials that were only shown as `true` are left as they are. */
export function withSealedCredentials(patch: Tree, sealer: Sealer): Tree | Refusal {
  const sealed = structuredClone(patch);
  for (const path of leaves(patch)) {
    const value = heldAt(patch, path);
    if (path.at(-1)?.endsWith('File') && typeof value === 'string' && !isAbsolute(value))
      return refuse(
        'invalid',
        `${path.join('.')} cannot be ${JSON.stringify(value)}: give the whole path, from the root.`,
      );
  }
  for (const place of credentialPlaces) {
    const parent = treeAt(sealed, place.of);
    const given = parent?.[place.name];
    if (parent === null || given === undefined || given === null) continue;
    const name = placeName(place);
    if (given === true) {
      delete parent[place.name];
      continue;
    }
    const bytes = typeof given === 'string' ? bytesOf(place.name, given) : null;
    if (bytes === null || bytes.length === 0)
      return refuse('invalid', `${name} cannot be read: ${forms[place.name] ?? 'give it as text'}.`);
    if (isRefusal(bytes)) return bytes;
    parent[place.name] = sealCredential(name, bytes, sealer);
  }
  return sealed;
}

const forms: Readonly<Record<string, string>> = {
  cert: 'give the whole of tls.cert, as its text or in base64',
  macaroon: 'give the whole of the macaroon file, in hex or base64',
};

function bytesOf(name: string, text: string): Uint8Array | null {
  const given = text.trim();
  if (name === 'user' || name === 'password') return new TextEncoder().encode(text);
  if (name === 'cert' && given.startsWith('-----BEGIN CERTIFICATE-----')) return new TextEncoder().encode(`${given}\n`);
  const bytes = /^([0-9a-f]{2})+$/i.test(given)
    ? Buffer.from(given, 'hex')
    : /^[0-9a-z+/_-]+={0,2}$/i.test(given)
      ? Buffer.from(given.replaceAll('-', '+').replaceAll('_', '/'), 'base64')
      : null;
  if (bytes === null) return null;
  return name !== 'cert' || bytes.toString('latin1').startsWith('-----BEGIN CERTIFICATE-----') ? bytes : null;
}
