import { closeSync, constants, existsSync, fdatasyncSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { isEvm, type EvmNetwork } from '../domain/chain.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import type { Sealer } from './sealer.ts';

/** A claim on an EVM chain that was signed while the disk was full, and of which no row tells. */
export interface SpareClaim {
  readonly swap: string;
  readonly network: EvmNetwork;
  readonly bytes: Uint8Array;
  /** What paid less with the same nonce, and may be mined instead, the last first: on the disk as many as fit. */
  readonly former?: readonly Uint8Array[];
}

export interface SpareClaims {
  /** On the disk when it returns, where the room was there before; else this process alone has it. Throws nothing. */
  keep(claim: SpareClaim): void;
  of(swap: string): SpareClaim | null;
  all(): readonly SpareClaim[];
  /** It is in the database now, or no node of the chain took it. */
  drop(swap: string): void;
}

/** Of their file beside the database. */
export const spareClaimsName = 'spare-claims';

/** What the bytes of a line are sealed for. */
const context = 'spare claim';
const slots = 64;
/** Bytes of a slot: a claim takes half of it, and each variant that paid less some 150. */
const slotSize = 2_048;

const shape = z.strictObject({
  swap: z.string().max(100),
  network: z.custom<EvmNetwork>((text) => typeof text === 'string' && isEvm(text)),
  bytes: z.string(),
  /** Each as what differs from `bytes`, in base64; an earlier version wrote none. */
  former: z.array(z.string()).optional(),
});

/**
 * Room for claims from memory that is taken while the disk has some: what is written in place needs none. So a process
 * that dies on a full disk leaves its claims to the next one, which neither makes them twice nor takes them for those
 * of another copy of this folder (facts/faults.md 165, 182). A file system that writes each byte to a new place keeps
 * nothing here when it is full.
 */
export function createSpareClaims({
  path,
  sealer,
}: {
  /** Null keeps them in memory alone, in tests. */
  readonly path: string | null;
  readonly sealer: Sealer;
}): SpareClaims {
  const claims = new Map<string, SpareClaim & { readonly slot: number }>();
  if (path !== null) {
    readSlots(path).forEach((line, slot) => {
      const claim = claimIn(line, sealer);
      if (claim !== null && slot < slots) claims.set(claim.swap, { ...claim, slot });
    });
    unlessFull(() => reserve(path));
  }

  /** The swap's own, an empty one, or that of the oldest. */
  function slotFor(swap: string): number {
    const used = new Set([...claims.values()].map(({ slot }) => slot));
    const empty = Array.from({ length: slots }, (_, slot) => slot).find((slot) => !used.has(slot));
    return claims.get(swap)?.slot ?? empty ?? [...claims.values()][0]?.slot ?? 0;
  }

  function write(slot: number, line: string): void {
    if (path !== null && line.length < slotSize) unlessFull(() => writeSlot(path, slot, line));
  }

  function drop(swap: string): void {
    const claim = claims.get(swap);
    if (claim === undefined) return;
    claims.delete(swap);
    write(claim.slot, '');
  }

  return {
    keep(claim) {
      const slot = slotFor(claim.swap);
      for (const [swap, one] of claims) if (one.slot === slot) claims.delete(swap);
      claims.set(claim.swap, { ...claim, slot });
      write(slot, lineOf(claim, sealer));
    },
    of: (swap) => claims.get(swap) ?? null,
    all: () => [...claims.values()],
    drop,
  };
}

/** A claim does not wait for its note: what the disk does not take is not kept. */
function unlessFull(act: () => void): void {
  try {
    act();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
  }
}

/** A file shorter than its room, of a disk that was full then, is made longer. */
function reserve(path: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { size } = fstatSync(file);
    const first = Math.floor(size / slotSize);
    if (first >= slots) return;
    writeWhole(file, emptySlot.repeat(slots - first), first * slotSize);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

const emptySlot = `${' '.repeat(slotSize - 1)}\n`;

function writeSlot(path: string, slot: number, line: string): void {
  const file = openSync(path, constants.O_RDWR);
  try {
    writeWhole(file, `${line.padEnd(slotSize - 1)}\n`, slot * slotSize);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A disk that fills may take a part. */
function writeWhole(file: number, text: string, position: number): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from, bytes.length - from, position + from);
}

function readSlots(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
}

function lineOf({ swap, network, bytes, former = [] }: SpareClaim, sealer: Sealer): string {
  const parts = former.map((one) => deflateRawSync(one, { dictionary: bytes }).toString('base64'));
  for (;;) {
    const claim = { swap, network, bytes: toHex(bytes), former: parts } satisfies z.infer<typeof shape>;
    const sealed = sealer.seal(new TextEncoder().encode(JSON.stringify(claim)), context);
    const line = Buffer.from(sealed).toString('base64');
    if (line.length < slotSize || parts.pop() === undefined) return line;
  }
}

/** Null for an empty slot, one that was cut off, or one of other words. */
function claimIn(line: string, sealer: Sealer): SpareClaim | null {
  if (line.trim() === '') return null;
  try {
    const text = new TextDecoder().decode(sealer.open(Buffer.from(line, 'base64'), context));
    const { former = [], ...claim } = shape.parse(JSON.parse(text));
    const bytes = fromHex(claim.bytes);
    const whole = (part: string) =>
      new Uint8Array(inflateRawSync(Buffer.from(part, 'base64'), { dictionary: bytes, maxOutputLength: slotSize }));
    return { ...claim, bytes, former: former.map(whole) };
  } catch {
    return null;
  }
}
