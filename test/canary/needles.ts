import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Something that nobody else may see. */
export interface Canary {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Where a canary was seen, and how it was written there. */
export interface Sighting {
  readonly canary: string;
  readonly as: string;
  readonly where: string;
}

export function canary(name: string, secret: Uint8Array | string): Canary {
  return { name, bytes: typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret };
}

/** The part of a base64 text that does not depend on what stands before and after it, for each of three places. */
function base64At(bytes: Buffer, place: 0 | 1 | 2): string {
  const text = Buffer.concat([Buffer.alloc(place), bytes]).toString('base64');
  const from = [0, 2, 3][place] ?? 0;
  const whole = Math.floor(((place + bytes.length) * 8) / 6);
  return text.slice(from, whole);
}

/** Every form in which a careless line of code would write it. */
export function formsOf({ bytes }: Canary): [string, Buffer][] {
  const plain = Buffer.from(bytes);
  const hex = plain.toString('hex');
  const forms: [string, Buffer][] = [
    ['bytes', plain],
    ['reversed bytes', Buffer.from(plain.toReversed())],
    ['hex', Buffer.from(hex)],
    ['upper-case hex', Buffer.from(hex.toUpperCase())],
    ['a list of numbers', Buffer.from([...plain].join(','))],
    ['a list of numbers with blanks', Buffer.from([...plain].join(', '))],
    ['a decimal number', Buffer.from(BigInt(`0x${hex}`).toString())],
  ];
  for (const place of [0, 1, 2] as const) {
    const text = base64At(plain, place);
    forms.push(['base64', Buffer.from(text)]);
    if (/[+/]/.test(text)) forms.push(['base64url', Buffer.from(text.replaceAll('+', '-').replaceAll('/', '_'))]);
  }
  return forms;
}

/** Looks for all canaries in all places. */
export function search(canaries: readonly Canary[], places: ReadonlyMap<string, Buffer>): Sighting[] {
  const sightings: Sighting[] = [];
  for (const one of canaries) {
    for (const [as, form] of formsOf(one)) {
      for (const [where, content] of places)
        if (content.includes(form)) sightings.push({ canary: one.name, as, where });
    }
  }
  return sightings;
}

/** Every file below a folder, by its path in it; the folders named are left out. */
export function filesOf(folder: string, without: readonly string[]): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (without.some((left) => name === left || name.startsWith(`${left}/`))) continue;
    const path = join(folder, name);
    if (statSync(path).isFile()) files.set(name, readFileSync(path));
  }
  return files;
}
