import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { bitcoinNetworks, type BitcoinNetwork } from '../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';

/**
 * The file of a bundle: a header, which is a line of JSON, and segments behind it, each a line. A segment is what was
 * sealed, in base64, and a sum of it and the header, which tells what was cut off or damaged from what somebody forged.
 *
 * A segment is sealed by AES-256-GCM under a key of the seed, a fresh random nonce in front. Its associated data is the
 * header, in which the file has a random name, its position, and the seal of the segment before it: none can be left
 * out, moved, repeated or brought from another file. Whoever cuts the file off between two segments makes it an older
 * copy of itself, and nothing in it can tell that.
 */

/** Keys of one purpose, derived from the seed. */
export type SealingKey = (purpose: string) => Uint8Array;

/** Those before were one sealed box, written anew each time. */
const version = 5;
const purpose = 'rescue';
const nonceBytes = 12;
const sealBytes = 16;

const header = z.strictObject({
  sluice: z.literal('rescue'),
  version: z.literal(version),
  network: z.enum(bitcoinNetworks),
  seed: z.string(),
  /** Random: whose rewritings the file is one of. */
  writer: z.string(),
  /** Which of them. */
  rewriting: z.number(),
});

type Header = z.output<typeof header>;

/** Where the next segment of a file goes. */
export interface End {
  readonly head: string;
  /** Of the next segment, from 0. */
  readonly position: number;
  /** Of the segment before it. */
  readonly seal: string;
  /** Bytes of the file up to here. */
  readonly size: number;
}

export interface Sealed {
  readonly bytes: Uint8Array;
  readonly end: End;
}

/** What a file holds, the oldest segment first. */
export interface Segments {
  readonly texts: readonly string[];
  /** Bytes behind the last whole segment: of one that was cut off, or never came to the disk as a whole. */
  readonly lost: number;
}

export const newWriter = (): string => toHex(randomBytes(16));

/** A file with one segment. */
export function sealFile(
  text: string,
  { network, writer, rewriting }: Pick<Header, 'network' | 'writer' | 'rewriting'>,
  keys: SealingKey,
): Sealed {
  const fields: Header = { sluice: 'rescue', version, network, seed: markOf(keys), writer, rewriting };
  const head = JSON.stringify(fields);
  const { bytes, end } = sealSegment(text, { head, position: 0, seal: '', size: head.length + 1 }, keys);
  return { bytes: Buffer.concat([Buffer.from(`${head}\n`), bytes]), end };
}

export function sealSegment(text: string, end: End, keys: SealingKey): Sealed {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keys(purpose), nonce);
  cipher.setAAD(boundTo(end));
  const box = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const body = box.toString('base64');
  const bytes = Buffer.from(`${body} ${sumOf(end.head, body)}\n`);
  return { bytes, end: after(end, box, bytes.length) };
}

/** Whether a file that begins so was written by that writer, whatever follows in it. */
export function isOfWriter(beginning: Uint8Array, writer: string): boolean {
  const text = Buffer.from(beginning).toString('latin1');
  const parsed = headerOf('', text.slice(0, Math.max(0, text.indexOf('\n'))));
  return !isRefusal(parsed) && parsed.writer === writer;
}

/** Longer than any header. */
export const headerBytes = 512;

/**
 * All whole segments, or one sentence that says what is wrong with the file and what to do. Money is brought home by
 * what is in them: what is damaged before the last one is told, and never passed over. `name` is what to call the file.
 */
export function openSegments(
  name: string,
  bytes: Uint8Array,
  network: BitcoinNetwork,
  keys: SealingKey,
): Segments | Refusal {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = file.indexOf(lineEnd);
  const head = file.toString('utf8', 0, Math.max(0, first));
  const parsed = headerOf(name, head);
  if (isRefusal(parsed)) return parsed;
  const { bodies, damagedAt, whole } = bodiesOf(file, first + 1, head);
  if (bodies.length === 0) return refuse('invalid', `${name} is damaged or was cut off: take another copy of it.`);
  if (parsed.network !== network)
    return refuse(
      'invalid',
      `${name} is of ${parsed.network}, the configuration is for ${network}: name the other one.`,
    );
  if (parsed.seed !== markOf(keys))
    return refuse('unauthorized', `${name} belongs to another seed: bring the words of the node that wrote it.`);
  const texts = unseal(head, bodies, keys);
  if (texts === null)
    return refuse('invalid', `${name} was changed without the seed: do not use this copy, take another one.`);
  if (damagedAt !== null)
    return refuse(
      'invalid',
      `${name} is damaged in the middle, and what was written after that may not be read without it: take another ` +
        `copy of it. Where there is none, a copy of its first ${damagedAt} bytes (head -c ${damagedAt}) is what it ` +
        'was before.',
    );
  return { texts, lost: file.length - whole };
}

const sumLength = 16;
const lineEnd = 0x0a;

/** The bodies whose sum fits: `damagedAt` is where one does not that more follows, `whole` where the last one ends. */
function bodiesOf(file: Buffer, from: number, head: string) {
  const bodies: string[] = [];
  let at = from;
  for (let one = segmentAt(file, at, head); one !== null; one = segmentAt(file, at, head)) {
    bodies.push(one.body);
    at = one.end;
  }
  const damagedAt = hasMore(file, at, head) || isFollowed(file, at, head) ? at : null;
  return { bodies, damagedAt, whole: at };
}

function segmentAt(file: Buffer, from: number, head: string): { readonly body: string; readonly end: number } | null {
  const end = file.indexOf(lineEnd, from);
  const space = end - sumLength - 1;
  return end !== -1 && fits(file, from, space, head)
    ? { body: file.toString('latin1', from, space), end: end + 1 }
    : null;
}

function fits(file: Buffer, from: number, space: number, head: string): boolean {
  if (space < from || file[space] !== 0x20) return false;
  return (
    file.toString('latin1', space + 1, space + 1 + sumLength) === sumOf(head, file.toString('latin1', from, space))
  );
}

/** One whose line end was changed: what is cut off in a segment has nothing behind it. */
function hasMore(file: Buffer, from: number, head: string): boolean {
  const space = file.indexOf(' ', from);
  return space + 1 + sumLength + 1 < file.length && fits(file, from, space, head);
}

/** A line end within what was damaged is one more place to look behind. */
function isFollowed(file: Buffer, from: number, head: string): boolean {
  for (let line = file.indexOf(lineEnd, from); line !== -1; line = file.indexOf(lineEnd, line + 1))
    if (segmentAt(file, line + 1, head) !== null) return true;
  return false;
}

function unseal(head: string, bodies: readonly string[], keys: SealingKey): readonly string[] | null {
  const key = keys(purpose);
  const texts: string[] = [];
  let end: End = { head, position: 0, seal: '', size: 0 };
  for (const body of bodies) {
    const box = Buffer.from(body, 'base64');
    if (box.length < nonceBytes + sealBytes) return null;
    const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, nonceBytes), { authTagLength: sealBytes });
    decipher.setAAD(boundTo(end));
    decipher.setAuthTag(box.subarray(-sealBytes));
    try {
      const plain = [decipher.update(box.subarray(nonceBytes, -sealBytes)), decipher.final()];
      texts.push(Buffer.concat(plain).toString('utf8'));
    } catch {
      return null; // The seal does not fit, which is all that there is to know.
    }
    end = after(end, box, 0);
  }
  return texts;
}

function boundTo({ head, position, seal }: End): Buffer {
  return Buffer.from(`${head}\n${position} ${seal}`);
}

function after({ head, position, size }: End, box: Buffer, length: number): End {
  return { head, position: position + 1, seal: toHex(box.subarray(-sealBytes)), size: size + length };
}

/** By which a bundle names its seed, and from which nothing of the seed follows. */
function markOf(keys: SealingKey): string {
  return toHex(keys(`${purpose} mark`).slice(0, 8));
}

function sumOf(head: string, body: string): string {
  return createHash('sha256').update(`${head}\n${body}`).digest('hex').slice(0, sumLength);
}

function headerOf(name: string, line: string): Header | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refuse('invalid', `${name} is no rescue bundle, or its header is damaged: take another copy.`);
  }
  const parsed = header.safeParse(value);
  if (parsed.success) return parsed.data;
  const other = z.looseObject({ sluice: z.literal('rescue'), version: z.number() }).safeParse(value);
  if (!other.success || other.data.version === version)
    return refuse('invalid', `${name} is no rescue bundle: give the file that the node wrote.`);
  return refuse(
    'invalid',
    other.data.version > version
      ? `${name} was written by a newer Sluice (bundle version ${other.data.version}, this build reads ${version}): ` +
          'use that one.'
      : `${name} is of bundle version ${other.data.version}, which this build does not read any more (it reads ` +
          `${version}): use the Sluice that wrote it.`,
  );
}
