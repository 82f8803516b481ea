import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { bitcoinNetworks, type BitcoinNetwork } from '../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import type { WalletTerms } from '../legs/arkade/vtxo.ts';
import { rescueEntry, type RescueEntry } from '../legs/rescue.ts';
import { exactly, unix, xOnly } from '../legs/shape.ts';
import type { Unix } from '../domain/time.ts';
import { decode, encode } from '../store/codec.ts';
import { troubleShape, type Trouble } from './troubles.ts';
import { waysShape, type Ways } from './ways.ts';

/**
 * What brings open swaps home without the database, sealed by the seed. The file has three lines:
 *
 * 1. the header, JSON: version, network, and a mark of the seed, by which another seed is told from a damaged file;
 * 2. the content, AES-256-GCM under a key of the seed, a fresh random nonce in front, with line 1 as associated data;
 * 3. the SHA-256 of both, which tells a file that was cut off or changed from one that somebody forged.
 */
export interface Bundle {
  readonly written: Unix;
  readonly swaps: readonly RescueEntry[];
  /** Below these, keys of the branches were used. */
  readonly counters: { readonly swap: number; readonly deposit: number; readonly change: number };
  /** Signers and delays under which the Arkade wallet has coins. */
  readonly walletTerms: readonly WalletTerms[];
  /** What brings coins at the operator to the chain when it is gone. */
  readonly ways: Ways;
  /** What the command found wanting of the operator; a node writes none. */
  readonly troubles: readonly Trouble[];
}

/**
 * As it is sealed: what is encoded already is not encoded again, for a bundle is written again and again, and most of
 * it stays.
 */
export interface EncodedBundle extends Omit<Bundle, 'swaps' | 'ways'> {
  readonly swaps: readonly string[];
  readonly ways: string;
}

/** Keys of one purpose, derived from the seed. */
export type SealingKey = (purpose: string) => Uint8Array;

/** Those before held legs, and no swap as its machine knows it. */
const version = 4;
const purpose = 'rescue';

const header = z.strictObject({
  sluice: z.literal('rescue'),
  version: z.literal(version),
  network: z.enum(bitcoinNetworks),
  seed: z.string(),
});

const counter = z.number();
const content = exactly<Bundle>()(
  z.strictObject({
    written: unix,
    swaps: z.array(rescueEntry),
    counters: z.strictObject({ swap: counter, deposit: counter, change: counter }),
    walletTerms: z.array(z.strictObject({ signer: xOnly, exitDelay: z.number() })),
    ways: waysShape,
    troubles: z.array(troubleShape),
  }),
);

/** By which a bundle names its seed, and from which nothing of the seed follows. */
function markOf(keys: SealingKey): string {
  return toHex(keys(`${purpose} mark`).slice(0, 8));
}

export function sealBundle(bundle: EncodedBundle, network: BitcoinNetwork, keys: SealingKey): Uint8Array {
  const { swaps, ways, ...rest } = bundle;
  const head = JSON.stringify({ sluice: 'rescue', version, network, seed: markOf(keys) } satisfies z.input<
    typeof header
  >);
  const plain = `{"rest":${encode(rest)},"ways":${ways},"swaps":[${swaps.join(',')}]}`;
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keys(purpose), nonce);
  cipher.setAAD(Buffer.from(head));
  const box = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const body = box.toString('base64');
  return Buffer.from(`${head}\n${body}\n${checksum(head, body)}\n`);
}

/** The content, or one sentence that says what is wrong with the file and what to do. `name` is what to call it. */
export function openBundle(
  name: string,
  bytes: Uint8Array,
  network: BitcoinNetwork,
  keys: SealingKey,
): Bundle | Refusal {
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  const [head = '', body = '', sum] = lines;
  const parsed = headerOf(name, head);
  if (isRefusal(parsed)) return parsed;
  if (lines.length !== 4 || sum !== checksum(head, body))
    return refuse('invalid', `${name} is damaged or was cut off: take another copy of it.`);
  if (parsed.network !== network)
    return refuse(
      'invalid',
      `${name} is of ${parsed.network}, the configuration is for ${network}: name the other one.`,
    );
  if (parsed.seed !== markOf(keys))
    return refuse('unauthorized', `${name} belongs to another seed: bring the words of the node that wrote it.`);
  const plain = unseal(head, body, keys(purpose));
  if (plain === null)
    return refuse('invalid', `${name} was changed without the seed: do not use this copy, take another one.`);
  const { rest, ...lists } = decode<{ rest: object }>(plain);
  return content.parse({ ...rest, ...lists });
}

function headerOf(name: string, line: string): z.output<typeof header> | Refusal {
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

function unseal(head: string, body: string, key: Uint8Array): string | null {
  const bytes = Buffer.from(body, 'base64');
  if (bytes.length < 28) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(head));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  } catch {
    return null; // The seal does not fit, which is all that there is to know.
  }
}

function checksum(head: string, body: string): string {
  return createHash('sha256').update(`${head}\n${body}\n`).digest('hex');
}
