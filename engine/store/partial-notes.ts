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
  let outside: () => readonly string[] = () => [];
  if (path !== null) readAll(path);

  function keep(note: PartialNote): void {
    const key = outpointKey(note.coin);
    const earlier = notes.get(key) ?? [];
    if (!earlier.some((one) => isSame(one, note))) notes.set(key, [...earlier, note]);
  }

  function readAll(place: string): void {
    for (const line of linesOf(place)) {
      const note = noteIn(line, sealer);
      if (note !== null) keep(note);
    }
  }

  function write(note: PartialNote): void {
    const earlier = notes.get(outpointKey(note.coin)) ?? [];
    if (earlier.some(({ purpose }) => purpose !== note.purpose))
      throw new RangeError(`the coin ${outpointKey(note.coin)} was signed for to its other side`);
    const name = `${outpointKey(note.coin)} ${toHex(note.sighash)} ${note.own} ${note.subject}`;
    if (whole.has(name)) return;
    const line = lineOf(note, sealer);
    // Outside first: what only lies beside the database goes with an image of the folder.
    for (const place of [...outside(), ...(path === null ? [] : [path])]) {
      appendLine(place, line);
      keep(note);
    }
    keep(note);
    whole.add(name);
  }

  return {
    note: write,
    noteOwn: (note) => write({ ...note, ...nothing, own: true }),
    of: (coin) => notes.get(outpointKey(coin)) ?? [],
    all: () => [...notes.values()].flat(),
    alsoAt(places) {
      outside = places;
      for (const place of places()) readAll(place);
    },
  };
}

function isSame(one: PartialNote, other: PartialNote): boolean {
  // Where the node is its own provider, each side notes the very same spend: only the one that it gave has the secret.
  const isOne = one.subject === other.subject && one.own === other.own && one.purpose === other.purpose;
  return isOne && sameOutpoint(one.coin, other.coin) && sameBytes(one.sighash, other.sighash);
}

/** Of a spend of our own, which the chain shows for what it is. */
const nothing = {
  txid: '',
  sighash: new Uint8Array(32),
  outputs: new Uint8Array(),
  bytes: new Uint8Array(),
  preimage: null,
} as const;

function lineOf(note: PartialNote, sealer: Sealer): string {
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
  } satisfies z.infer<typeof shape>);
  return Buffer.from(sealer.seal(new TextEncoder().encode(text), context)).toString('base64');
}

/** Null for what was cut off, or is of other words. */
function noteIn(line: string, sealer: Sealer): PartialNote | null {
  try {
    const text = new TextDecoder().decode(sealer.open(Buffer.from(line, 'base64'), context));
    const { subject, txid, vout, purpose, own, spend, sighash, outputs, bytes, preimage } = shape.parse(
      JSON.parse(text),
    );
    return {
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
  } catch {
    return null;
  }
}
