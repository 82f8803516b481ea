import { refuse, type Refusal } from '../domain/errors.ts';
import { isTree, type Tree } from './tree.ts';

/** Where the bytes of a credential are: in a file, or in the settings, sealed under the key of the seed. */
export type Credential = { readonly file: string } | { readonly sealed: string };

export interface CredentialPlace {
  /** The object of the configuration that it belongs to. */
  readonly of: readonly string[];
  /** `macaroon` for bytes in the settings, `macaroonFile` for a file. */
  readonly name: string;
  /** Whether others on this machine must not read its file. */
  readonly secret: boolean;
}

export const credentialPlaces: readonly CredentialPlace[] = [
  { of: ['lnd'], name: 'cert', secret: false },
  { of: ['lnd'], name: 'macaroon', secret: true },
  { of: ['bitcoin', 'core'], name: 'user', secret: true },
  { of: ['bitcoin', 'core'], name: 'password', secret: true },
];

/** `lnd.macaroon`: how sentences call it, and what its bytes are sealed for. */
export function placeName({ of, name }: CredentialPlace): string {
  return [...of, name].join('.');
}

export function treeAt(content: unknown, path: readonly string[]): Tree | null {
  let at: unknown = content;
  for (const step of path) at = isTree(at) ? at[step] : undefined;
  return isTree(at) ? at : null;
}

/** Files and variables are read by too many: they name a credential and never hold it. */
export function inlineCredential(layer: string, content: unknown): Refusal | null {
  for (const place of credentialPlaces) {
    const written = treeAt(content, place.of)?.[place.name];
    if (written === undefined) continue;
    const name = placeName(place);
    return refuse(
      'invalid',
      `${name} stands in ${layer}, where a credential is never written: name the file that holds it with ` +
        `${name}File, or give it to PATCH /owner/settings, which seals it.`,
    );
  }
  return null;
}

/** A file named by one source takes the place of the bytes that a weaker one holds, and the other way round. */
export function dropReplaced(below: unknown, above: unknown): void {
  for (const { of, name } of credentialPlaces) {
    const weaker = treeAt(below, of);
    const stronger = treeAt(above, of);
    if (weaker === null || stronger === null) continue;
    if (stronger[name] !== undefined) delete weaker[`${name}File`];
    if (stronger[`${name}File`] !== undefined) delete weaker[name];
  }
  const core = ['bitcoin', 'core'];
  const [weaker, stronger] = [treeAt(below, core), treeAt(above, core)];
  if (weaker === null || stronger === null) return;
  const names = ['user', 'userFile', 'password', 'passwordFile'];
  if (stronger['cookieFile'] !== undefined) for (const name of names) delete weaker[name];
  else if (names.some((name) => stronger[name] !== undefined)) delete weaker['cookieFile'];
}

/** The one place of a credential that is configured; a sentence when it is none, or two. */
export function chosenCredential(parent: object, of: readonly string[], name: string): Credential | Refusal {
  const { [`${name}File`]: file, [name]: sealed } = parent as Readonly<Record<string, unknown>>;
  const at = [...of, name].join('.');
  if (typeof file === 'string' && sealed !== undefined)
    return refuse('invalid', `${at} and ${at}File are both set: keep one.`);
  if (typeof file === 'string') return { file };
  if (sealed !== undefined) return sealed as { sealed: string };
  return refuse(
    'invalid',
    `${at}File is missing: name the file that holds it, or give ${at} to PATCH /owner/settings.`,
  );
}
