import { randomBytes } from 'node:crypto';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { beforeEach, expect, test } from 'vitest';
import { refuse } from '../../../engine/domain/errors.ts';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { newNonce, type OwnNonce } from '../../../engine/legs/musig.ts';
import type { MusigHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { buildJointSpend } from '../../../engine/legs/onchain/joint-spend.ts';
import { jointKeyOf, type KeySpend } from '../../../engine/legs/onchain/key-spend.ts';
import type { HtlcCosign, TheirPartial } from '../../../engine/legs/onchain/wallet-port.ts';
import type { ProviderContext } from '../../../engine/runtime/networks/provider/context.ts';
import { signClaim } from '../../../engine/runtime/networks/provider/sign-claim.ts';
import { NotYet } from '../../../engine/runtime/not-yet.ts';
import { createPartialNotes, type PartialNotes } from '../../../engine/store/partial-notes.ts';
import { createSealer } from '../../../engine/store/sealer.ts';
import type { Event } from '../../../engine/swap/machine.ts';
import type { ClaimToSign } from '../../../engine/taker/joint.ts';
import { preimage, startHeight } from '../../swap/cases.ts';
import { clocksAtHeight } from '../../swap/lightning-bitcoin-cases.ts';
import { deal, refundHeight } from '../../taker/bitcoin-lightning-cases.ts';

/* What a client's node looks at before it signs its provider's claim with it, and in which order it does that. */

const terms = deal.source.htlc as MusigHtlcTerms;
const [theirSecret, ourSecret] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
const coin = { txid: 'c0'.repeat(32), vout: 1 };
const amount = sats(100_000);
const effect = {
  do: 'provider.sign-claim',
  ...{ provider: '', swapId: 'theirs', terms, coin, amount },
  key: { branch: 'taker', index: 4 },
} as const;

/** What happened, in its order. */
let acts: string[];
let answers: Event[];
let partials: PartialNotes;
let theirs: OwnNonce;
let spend: KeySpend;
let claim: ClaimToSign;
let half: TheirPartial | null;

beforeEach(() => {
  acts = [];
  answers = [];
  half = null;
  const notes = createPartialNotes({ path: null, sealer: createSealer(new Uint8Array(32)) });
  partials = {
    ...notes,
    note(note) {
      acts.push(`noted ${note.purpose}`);
      return notes.note(note);
    },
  };
  const to = Uint8Array.of(0, 20, ...new Uint8Array(20));
  const built = buildJointSpend(terms, { coin: { ...coin, amount }, to, feeRate: 3, mostFee: sats(9_000) });
  if (built === null) throw new Error('it is worth its fee');
  ({ spend } = built);
  theirs = newNonce(jointKeyOf(terms), spend.sighash, theirSecret);
  claim = { publicNonce: theirs.shown, preimage, transaction: spend.bytes };
});

interface Changed {
  readonly height?: number;
  readonly attempts?: number;
  readonly moves?: boolean;
  readonly claimToSign?: () => Promise<ClaimToSign>;
  readonly signClaim?: () => Promise<never>;
  readonly notes?: PartialNotes;
}

async function signed(changed: Changed = {}): Promise<string> {
  const { height = startHeight, attempts = 0, moves = true, notes = partials } = changed;
  const provider = {
    claimToSign: async () => claim,
    async signClaim(_: string, given: TheirPartial) {
      acts.push('given');
      half = given;
      return null;
    },
    ...changed,
  };
  const context = {
    row: { subject: 'ours', attempts },
    clock: { now: () => clocksAtHeight(height) },
    store: { partials: notes },
    ports: {
      providers: () => provider,
      bitcoinWallet: {
        async cosignHtlc({ terms: of, spend: { sighash }, theirs: shown }: HtlcCosign) {
          acts.push('signed');
          const nonce = newNonce(jointKeyOf(of), sighash, ourSecret);
          return { shown: nonce.shown, partial: nonce.sign(shown, ourSecret)?.partial };
        },
      },
    },
    moves({ is }: Event) {
      acts.push(`may ${is}`);
      return moves;
    },
    answer(event: Event) {
      acts.push(event.is);
      answers.push(event);
    },
  };
  await signClaim(effect, context as unknown as ProviderContext);
  const [last] = answers;
  return last?.is === 'provider.claim-unsigned' ? last.reason : (last?.is ?? 'nothing');
}

test('it is noted, then saved, and only then signed and given; and what is given makes the signature', async () => {
  expect(await signed()).toBe('cosign.given');
  expect(acts).toEqual(['may cosign.asked', 'noted claim', 'cosign.given', 'signed', 'given']);
  const { txid, bytes } = spend;
  expect(answers).toEqual([{ is: 'cosign.given', purpose: 'claim', coin, preimage, txid, bytes }]);
  const { sighash, outputs } = spend;
  const note = { subject: 'ours', coin, purpose: 'claim', own: false, txid, sighash, outputs, bytes, preimage };
  expect(partials.all()).toEqual([note]);
  expect(half !== null && theirs.fits(half.publicNonce, half.partial)).toBe(true);
});

function changed(of: (tx: Transaction) => void): Partial<ClaimToSign> {
  const tx = Transaction.fromBuffer(spend.bytes);
  of(tx);
  return { transaction: tx.toBuffer() };
}

const lies: Readonly<Record<string, readonly [() => Partial<ClaimToSign>, RegExp]>> = {
  'a preimage of another payment': [() => ({ preimage: asPreimage(randomBytes(32)) }), /preimage .* none of our/],
  'a preimage that is too short': [() => ({ preimage: new Uint8Array(31) as never }), /preimage .* none of our/],
  'another coin': [() => changed((tx) => (tx.ins[0]!.index += 1)), /input 0 does not take/],
  'a coin beside ours': [() => changed((tx) => void tx.addInput(randomBytes(32), 0)), /other inputs take/],
  'our coin at another input': [
    () => changed((tx) => void tx.ins.unshift({ ...tx.ins[0]!, hash: randomBytes(32) })),
    /input 0 does not take/,
  ],
  'nobody who is paid': [() => changed((tx) => void tx.outs.splice(0)), /pays nobody|no transaction/],
  'what is no transaction': [() => ({ transaction: randomBytes(60) }), /no transaction/],
  'a nonce that is no point': [() => ({ publicNonce: new Uint8Array(66) }), /nonce is invalid/],
};

test.each(Object.keys(lies))('shown %s it signs nothing, and notes nothing', async (name) => {
  const [lie, reason] = lies[name]!;
  claim = { ...claim, ...lie() };
  expect(await signed()).toMatch(reason);
  expect([acts, partials.all()]).toEqual([['provider.claim-unsigned'], []]);
});

test('nothing is signed that the swap does not give up, once a refund of it is noted, or when that opens', async () => {
  expect(await signed({ moves: false })).toMatch(/gives nothing up/);
  answers = [];
  expect(await signed({ height: refundHeight })).toMatch(/refund opens/);
  answers = [];
  void partials.noteOwn({ subject: 'ours', coin, purpose: 'refund' });
  expect(await signed()).toMatch(/refund of ours was signed/);
  expect(acts.filter((act) => act !== 'provider.claim-unsigned' && act !== 'may cosign.asked')).toEqual([]);
});

test('a provider that shows nothing is asked again, a while', async () => {
  const claimToSign = () => Promise.resolve(refuse('forbidden', 'not yet') as never);
  await expect(signed({ claimToSign })).rejects.toThrow(NotYet);
  await expect(signed({ claimToSign, attempts: 14 })).rejects.toThrow(/not yet/);
  expect(await signed({ claimToSign, attempts: 15 })).toBe('not yet');
  const away = () => Promise.reject(new Error('gone'));
  answers = [];
  await expect(signed({ claimToSign: away })).rejects.toThrow(NotYet);
  expect(await signed({ claimToSign: away, attempts: 15 })).toMatch(/gone/);
});

test('what the provider makes of it is nothing that is asked for again', async () => {
  expect(await signed({ signClaim: () => Promise.reject(new Error('gone')) })).toBe('cosign.given');
  expect(acts.at(-1)).toBe('signed');
});

test('noted nowhere it is not signed; noted in one place it is given up, and not signed either', async () => {
  const nowhere: PartialNotes = {
    ...partials,
    note: () => {
      throw new Error('no room');
    },
  };
  expect(await signed({ notes: nowhere })).toMatch(/cannot be noted/);
  answers = [];
  const somewhere: PartialNotes = {
    ...partials,
    note: (note) => partials.note(note).then(() => false),
  };
  expect(await signed({ notes: somewhere })).toBe('cosign.given');
  expect(acts).not.toContain('signed');
});
