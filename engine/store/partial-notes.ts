import { z } from 'zod';
import { asPreimage, type Preimage, sameBytes } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../domain/outpoint.ts';
import type { GivenPartial } from '../legs/onchain/key-spend.ts';
import { createFarLines, type InTurn, type MayBeEmpty } from './far-lines.ts';
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
   * On the disk beside the database when it returns, and counts as given from then on. Throws where that cannot be, or
   * while a place outside is known to be away, or for a coin that was signed for to the other side: no coin is both.
   * Resolves once each place outside has it too, with false where one does not take it; then no signature is given
   * (facts/faults.md 292). Never rejects.
   */
  note(note: PartialNote): Promise<boolean>;
  /**
   * Before we sign a spend of ours by the coin's script: a copy of the database from before that gives no signature to
   * the other side. Throws like `note`; what the folder does not take is noted outside all the same.
   */
  noteOwn(note: Pick<PartialNote, 'subject' | 'coin' | 'purpose'>): Promise<boolean>;
  /**
   * The other side never heard of this spend of our own: it counts no more, in any copy that reads a place which takes
   * that, and is not noted again, so that the one word stands against the other for good. Resolves once each
   * place was tried. Never rejects.
   */
  takeBack(note: PartialNote): Promise<boolean>;
  /**
   * Whether what lies at a place outside was never read, so that a copy of the database may know nothing of a signature
   * (facts/faults.md 312). Reads what was not. Never rejects.
   */
  isUnread(): Promise<boolean>;
  /** Those of a coin, the oldest first. */
  of(coin: Outpoint): readonly PartialNote[];
  all(): readonly PartialNote[];
  /**
   * Further places, outside of the data folder; what is noted there already counts once it resolves. Rejects where one
   * could not be read: what lies there counts once it can.
   */
  alsoAt(places: () => readonly string[], inTurn: InTurn, mayBeEmpty?: MayBeEmpty): Promise<void>;
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
  /** What this run wrote beside the database: whoever asks again and again fills no disk. */
  const whole = new Set<string>();
  const takenBack = new Set<string>();
  /** What it gave to the places outside. */
  const given = new Set<string>();
  const far = createFarLines({ lineOf: (text) => sealedLine(text, sealer), count, all: () => [] });
  if (path !== null) for (const line of linesOf(path)) count(line);

  function keep(note: PartialNote): void {
    const key = outpointKey(note.coin);
    const earlier = notes.get(key) ?? [];
    if (!earlier.some((one) => isSame(one, note))) notes.set(key, [...earlier, note]);
  }

  function count(line: string): void {
    const read = noteIn(line, sealer);
    if (read === null) return;
    if (read.takenBack) takenBack.add(jointName(read.note));
    else keep(read.note);
  }

  function counts(note: PartialNote): boolean {
    return !isJoint(note) || !takenBack.has(jointName(note));
  }

  function of(coin: Outpoint): readonly PartialNote[] {
    return (notes.get(outpointKey(coin)) ?? []).filter(counts);
  }

  function isForOther({ coin, purpose }: PartialNote): boolean {
    return of(coin).some((note) => note.purpose !== purpose);
  }

  /** What is our own is noted wherever it can be, and counts: it is signed all the same. */
  function write(note: PartialNote): Promise<boolean> {
    if (!counts(note)) throw new RangeError(`nobody is asked again for the coin ${outpointKey(note.coin)}`);
    if (isForOther(note)) throw new RangeError(`the coin ${outpointKey(note.coin)} was signed for to its other side`);
    if (!note.own && far.isAway()) {
      far.written().catch(() => false);
      throw new Error('a place outside of the data folder takes no note');
    }
    const text = textOf(note);
    if (note.own) keep(note);
    try {
      if (path !== null && !whole.has(text)) appendLine(path, sealedLine(text, sealer));
    } catch (cause) {
      if (note.own) writeFar(text).catch(() => false);
      throw cause;
    }
    keep(note);
    whole.add(text);
    // What lies outside may have been read only now.
    return writeFar(text).then((isWritten) => isWritten && !isForOther(note));
  }

  function writeFar(text: string): Promise<boolean> {
    if (!given.has(text)) far.add(text);
    given.add(text);
    return far.written();
  }

  async function takeBack(note: PartialNote): Promise<boolean> {
    if (!isJoint(note) || !counts(note)) return true;
    takenBack.add(jointName(note));
    const text = textOf(note, true);
    try {
      if (path !== null) appendLine(path, sealedLine(text, sealer));
    } catch {
      // Another place may take it; where none does, it counts again after a restart.
    }
    return writeFar(text);
  }

  return {
    note: write,
    noteOwn: (note) => write({ ...note, ...nothing, own: true }),
    takeBack,
    isUnread: far.isUnread,
    of,
    all: () => [...notes.values()].flat().filter(counts),
    alsoAt: far.open,
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

function textOf(note: PartialNote, takenBack = false): string {
  return JSON.stringify({
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
}

function sealedLine(text: string, sealer: Sealer): string {
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
