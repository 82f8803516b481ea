import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';
import { readIfThere } from './folder.ts';
import { writePrivate } from './private-file.ts';

/**
 * The seed at rest. The file has three lines:
 *
 * 1. the header, JSON: the version and one slot per way in, each holding the file key sealed under the key of that way;
 * 2. the entropy of the words, sealed under the file key with line 1 as associated data;
 * 3. the SHA-256 of the two lines before, which is what tells a damaged file from a wrong passphrase.
 *
 * Every seal is AES-256-GCM with a fresh random nonce in front and its tag behind.
 */

/** A way in: a passphrase of the owner, or a random key that something else keeps. */
export type SealKey =
  | { readonly way: 'passphrase'; readonly passphrase: Uint8Array }
  | { readonly way: 'keychain' | 'key-file'; readonly key: Uint8Array };

export type SealWay = SealKey['way'];

export type OpenedSeed =
  | { readonly is: 'opened'; readonly entropy: Uint8Array }
  | { readonly is: 'absent' }
  | { readonly is: 'no-such-way'; readonly ways: readonly SealWay[] }
  | { readonly is: 'wrong-key' }
  | { readonly is: 'damaged'; readonly reason: string };

/** 128 * N * r bytes: 128 MiB, about half a second. */
const stretching = { N: 131_072, r: 8, p: 1 } as const;
const mostMemory = 512 * 1024 * 1024;

const hexText = z.string().regex(/^([0-9a-f]{2})+$/);
const slotSchema = z.discriminatedUnion('way', [
  z.strictObject({
    way: z.literal('passphrase'),
    kdf: z.literal('scrypt'),
    N: z.int().min(65_536).max(2_097_152),
    r: z.int().min(8).max(32),
    p: z.int().min(1).max(16),
    salt: hexText,
    box: hexText,
  }),
  z.strictObject({ way: z.literal('keychain'), box: hexText }),
  z.strictObject({ way: z.literal('key-file'), box: hexText }),
]);
const headerSchema = z.strictObject({
  sluice: z.literal('seed'),
  version: z.literal(1),
  slots: z.array(slotSchema).min(1),
});
type Slot = z.output<typeof slotSchema>;

/** Seals the entropy under every key given and replaces the file. */
export async function sealSeed(path: string, entropy: Uint8Array, keys: readonly SealKey[]): Promise<void> {
  if (entropy.length !== 16 && entropy.length !== 32)
    throw new RangeError('a seed of twelve or twenty-four words has 16 or 32 bytes of entropy');
  const fileKey = randomBytes(32);
  const slots: Slot[] = [];
  for (const key of keys) slots.push(await makeSlot(key, fileKey));
  const header = JSON.stringify(headerSchema.parse({ sluice: 'seed', version: 1, slots }));
  const body = seal(fileKey, entropy, header);
  fileKey.fill(0);
  writePrivate(path, Buffer.from(`${header}\n${body}\n${checksum(header, body)}\n`));
}

export async function openSeed(path: string, key: SealKey): Promise<OpenedSeed> {
  const file = readSealed(path);
  if (file.is !== 'read') return file;
  const slot = file.slots.find((one) => one.way === key.way);
  if (slot === undefined) return { is: 'no-such-way', ways: file.slots.map((one) => one.way) };
  const slotKey = await keyOf(slot, key);
  const fileKey = unseal(slotKey, slot.box, associated(slot));
  slotKey.fill(0);
  if (fileKey === null) return { is: 'wrong-key' };
  const entropy = unseal(fileKey, file.body, file.header);
  fileKey.fill(0);
  return entropy === null
    ? { is: 'damaged', reason: 'its header does not belong to its content' }
    : { is: 'opened', entropy };
}

/** The ways into the file, without opening it. */
export function sealedWays(
  path: string,
): { is: 'sealed'; ways: readonly SealWay[] } | Extract<OpenedSeed, { is: 'absent' | 'damaged' }> {
  const file = readSealed(path);
  return file.is === 'read' ? { is: 'sealed', ways: file.slots.map((slot) => slot.way) } : file;
}

type ReadFile = { is: 'read'; header: string; slots: readonly Slot[]; body: string };

function readSealed(path: string): ReadFile | Extract<OpenedSeed, { is: 'absent' | 'damaged' }> {
  const text = readIfThere(path);
  if (text === null) return { is: 'absent' };
  const [header, body, sum, ...rest] = text.split('\n');
  if (header === undefined || body === undefined || sum === undefined || rest.join('') !== '')
    return { is: 'damaged', reason: 'it has not three lines' };
  if (checksum(header, body) !== sum) return { is: 'damaged', reason: 'its checksum does not fit its content' };
  let content: unknown;
  try {
    content = JSON.parse(header);
  } catch {
    return { is: 'damaged', reason: 'its header is not JSON' };
  }
  const parsed = headerSchema.safeParse(content);
  if (parsed.success) return { is: 'read', header, slots: parsed.data.slots, body };
  const newer = z.looseObject({ version: z.int().min(2) }).safeParse(content).success;
  return { is: 'damaged', reason: newer ? 'it was written by a newer Sluice' : 'its header has another shape' };
}

async function makeSlot(key: SealKey, fileKey: Uint8Array): Promise<Slot> {
  if (key.way !== 'passphrase') {
    if (key.key.length !== 32) throw new RangeError('a key that seals the seed has 32 bytes');
    return { way: key.way, box: seal(key.key, fileKey, associated({ way: key.way, box: '' })) };
  }
  const open = {
    way: 'passphrase',
    kdf: 'scrypt',
    ...stretching,
    salt: randomBytes(16).toString('hex'),
    box: '',
  } as const;
  const slotKey = await keyOf(open, key);
  const box = seal(slotKey, fileKey, associated(open));
  slotKey.fill(0);
  return { ...open, box };
}

async function keyOf(slot: Slot, key: SealKey): Promise<Uint8Array> {
  if (key.way !== 'passphrase') return Uint8Array.from(key.key);
  if (slot.way !== 'passphrase') throw new TypeError('a passphrase opens a passphrase slot only');
  const { N, r, p } = slot;
  return new Promise((resolve, reject) => {
    scrypt(key.passphrase, Buffer.from(slot.salt, 'hex'), 32, { N, r, p, maxmem: mostMemory }, (error, derived) =>
      error ? reject(error) : resolve(derived),
    );
  });
}

/** A slot's own parameters are authenticated by its seal. */
function associated(slot: Slot): string {
  return JSON.stringify({ ...slot, box: '' });
}

function seal(key: Uint8Array, plain: Uint8Array, header: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(header));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('hex');
}

function unseal(key: Uint8Array, box: string, header: string): Uint8Array | null {
  const bytes = Buffer.from(box, 'hex');
  if (bytes.length < 28) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(header));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  } catch {
    return null; // Only a wrong key or changed bytes get here; both mean the seal does not open.
  }
}

function checksum(header: string, body: string): string {
  return createHash('sha256').update(`${header}\n${body}\n`).digest('hex');
}
