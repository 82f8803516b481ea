import { z } from 'zod';
import { asPreimage, type Preimage, sameBytes } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../domain/outpoint.ts';
import type { GivenPartial } from '../legs/onchain/key-spend.ts';
import { appendLine, linesOf } from './noted-lines.ts';
import type { Sealer } from './sealer.ts';

/**
 * A partial signature of ours over an HTLC's coin, as it was noted before it was given; or, `own`, that we take the
 * coin to that end ourselves, by its script.
 */
export interface PartialNote extends GivenPartial {
  readonly own: boolean;
  /** The swap, ours as its provider or as its client. */
  readonly subject: string;
  /** The transaction without witnesses. */
  readonly bytes: Uint8Array;
  /** The secret that came with the request: in a spend by both keys nobody ever sees it. */
  readonly preimage: Preimage | null;
}

export interface PartialNotes {
  /**
   * On the disk, in each place, when it returns. Throws where one could not be written, and then no signature is given;
   * but where any could, it counts as given all the same, and `of` has it. Throws as well for a coin that was signed
   * for to the other side of it: no coin is both.
   */
  note(note: PartialNote): void;
  /**
   * Before we sign a spend of ours by the coin's script: a copy of the database from before that gives no signature to
   * the other side. Throws like `note`.
   */
  noteOwn(note: Pick<PartialNote, 'subject' | 'coin' | 'purpose'>): void;
  /**
   * The other side never heard of this spend of our own: it counts no more, in any copy that reads a place which takes
   * that, and is not noted again, so that the one word stands against the other for good. Throws nothing.
   */
  takeBack(note: PartialNote): void;
  /** Those of a coin, the oldest first. */
  of(coin: Outpoint): readonly PartialNote[];
  all(): readonly PartialNote[];
  /** Further places, outside of the data folder; what is noted there already counts from here on. */
  alsoAt(places: () => readonly string[]): void;
}

/** Of their file beside the database, the ending of that of a copy, and the purpose of the key that seals them. */
export const notesName = 'partials';

/** What the bytes of a line are sealed for. */
const context = 'partial';

const shape = z.strictObject({
  subject: z.string(),
  txid: z.string(),
  vout: z.number(),
  purpose: z.enum(['claim', 'refund']),
  own: z.boolean(),
  spend: z.string(),
  sighash: z.string(),
  outputs: z.string(),
  bytes: z.string(),
  preimage: z.string().nullable(),
  takenBack: z.literal(true).exactOptional(),
});

/**
 * Every partial signature that was given, or was about to be, told where no restored database reaches: beside it, and
 * outside of the folder. A line is written and never changed. Each is sealed by the seed, so that nobody else's counts,
 * and what was cut off in the middle says nothing: its signature was not given.
 *
 * Loses money when wrong: a coin of ours taken back while the client has our signature on its claim; the secret that
 * came with it forgotten, and what it opens never taken.
 */
export function createPartialNotes({
  path,
  sealer,
}: {
  /** Of the file in the data folder; null keeps them in memory alone, in tests. */
  readonly path: string | null;
  readonly sealer: Sealer;
}): PartialNotes {
  const notes = new Map<string, PartialNote[]>();
  /** What this run wrote in every place: whoever asks again and again fills no disk. */
  const whole = new Set<string>();
  const takenBack = new Set<string>();
  let outside: () => readonly string[] = () => [];
  if (path !== null) readAll(path);

  function keep(note: PartialNote): void {
    const key = outpointKey(note.coin);
    const earlier = notes.get(key) ?? [];
    if (!earlier.some((one) => isSame(one, note))) notes.set(key, [...earlier, note]);
  }

  function readAll(place: string): void {
    for (const line of linesOf(place)) {
      const read = noteIn(line, sealer);
      if (read === null) continue;
      if (read.takenBack) takenBack.add(jointName(read.note));
      else keep(read.note);
    }
  }

  function counts(note: PartialNote): boolean {
    return !isJoint(note) || !takenBack.has(jointName(note));
  }

  function of(coin: Outpoint): readonly PartialNote[] {
    return (notes.get(outpointKey(coin)) ?? []).filter(counts);
  }

  // Outside first: what only lies beside the database goes with an image of the folder.
  function places(): readonly string[] {
    return [...outside(), ...(path === null ? [] : [path])];
  }

  function write(note: PartialNote): void {
    if (!counts(note)) throw new RangeError(`nobody is asked again for the coin ${outpointKey(note.coin)}`);
    const earlier = of(note.coin);
    if (earlier.some(({ purpose }) => purpose !== note.purpose))
      throw new RangeError(`the coin ${outpointKey(note.coin)} was signed for to its other side`);
    const name = `${outpointKey(note.coin)} ${toHex(note.sighash)} ${note.own} ${note.subject}`;
    if (whole.has(name)) return;
    const line = lineOf(note, sealer);
    for (const place of places()) {
      appendLine(place, line);
      keep(note);
    }
    keep(note);
    whole.add(name);
  }

  function takeBack(note: PartialNote): void {
    if (!isJoint(note) || !counts(note)) return;
    takenBack.add(jointName(note));
    const line = lineOf(note, sealer, true);
    for (const place of places()) {
      try {
        appendLine(place, line);
      } catch {
        // Another place may take it; where none does, it counts again after a restart.
      }
    }
  }

  return {
    note: write,
    noteOwn: (note) => write({ ...note, ...nothing, own: true }),
    takeBack,
    of,
    all: () => [...notes.values()].flat().filter(counts),
    alsoAt(others) {
      outside = others;
      for (const place of others()) readAll(place);
    },
  };
}

function isSame(one: PartialNote, other: PartialNote): boolean {
  // Where the node is its own provider, each side notes the very same spend: only the one that it gave has the secret.
  const isOne = one.subject === other.subject && one.own === other.own && one.purpose === other.purpose;
  return isOne && sameOutpoint(one.coin, other.coin) && sameBytes(one.sighash, other.sighash);
}

/** A spend of our own that takes the other side's signature as well. */
function isJoint({ own, txid }: PartialNote): boolean {
  return own && txid !== '';
}

function jointName({ coin, purpose, subject }: PartialNote): string {
  return `${outpointKey(coin)} ${purpose} ${subject}`;
}

/** Of a spend of our own, which the chain shows for what it is. */
const nothing = {
  txid: '',
  sighash: new Uint8Array(32),
  outputs: new Uint8Array(),
  bytes: new Uint8Array(),
  preimage: null,
} as const;

function lineOf(note: PartialNote, sealer: Sealer, takenBack = false): string {
  const text = JSON.stringify({
    subject: note.subject,
    txid: note.coin.txid,
    vout: note.coin.vout,
    purpose: note.purpose,
    own: note.own,
    spend: note.txid,
    sighash: toHex(note.sighash),
    outputs: toHex(note.outputs),
    bytes: toHex(note.bytes),
    preimage: note.preimage === null ? null : toHex(note.preimage),
    ...(takenBack ? { takenBack: true as const } : {}),
  } satisfies z.infer<typeof shape>);
  return Buffer.from(sealer.seal(new TextEncoder().encode(text), context)).toString('base64');
}

/** Null for what was cut off, or is of other words. */
function noteIn(sealed: string, sealer: Sealer): { readonly note: PartialNote; readonly takenBack: boolean } | null {
  try {
    const text = new TextDecoder().decode(sealer.open(Buffer.from(sealed, 'base64'), context));
    const { takenBack = false, ...line } = shape.parse(JSON.parse(text));
    const { subject, txid, vout, purpose, own, spend, sighash, outputs, bytes, preimage } = line;
    const note: PartialNote = {
      subject,
      coin: { txid, vout },
      purpose,
      own,
      txid: spend,
      sighash: fromHex(sighash),
      outputs: fromHex(outputs),
      bytes: fromHex(bytes),
      preimage: preimage === null ? null : asPreimage(fromHex(preimage)),
    };
    return { note, takenBack };
  } catch {
    return null;
  }
}
