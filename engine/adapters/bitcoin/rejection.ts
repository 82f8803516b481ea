import { cutWords } from '../../domain/words.ts';
import type { BroadcastAnswer } from '../../legs/onchain/port.ts';

/** Codes of sendrawtransaction (Bitcoin Core, src/rpc/protocol.h); btcd uses the same. */
const alreadyInChain = -27;

/**
 * The word of Core or btcd for each answer, the first that fits counts. Seen on both unless it is plain which says it.
 */
const meanings: readonly (readonly [RegExp, 'accepted' | 'unsure' | 'spent' | 'later' | 'cheap' | 'dear'])[] = [
  // Core: txn-already-in-mempool, txn-already-known, the same transaction with another witness; btcd: already have
  // transaction in mempool.
  [
    /txn-same-nonwitness-data-in-mempool|already in (the )?mempool|already[- ]known|already have transaction|already in (block ?chain|utxo set)|already exists in blockchain|txn-already/i,
    'accepted',
  ],
  // Core: bad-txns-inputs-missingorspent; btcd: orphan transaction … references outputs of unknown or fully-spent
  // transaction.
  [/missing-?inputs|inputs-missingorspent|orphan transaction|unknown or fully-spent/i, 'unsure'],
  // A conflict in the mempool that this one does not pay enough to replace.
  [
    /mempool-conflict|spends-conflicting|already spent in mempool|insufficient fee|replacement-failed|replacement-disallowed|replacement transaction|replacement-adds-unconfirmed|package RBF failed|too many potential replacements/i,
    'spent',
  ],
  [/premature-spend-of-coinbase|spend coinbase transaction output/i, 'later'],
  [/non-final|non-BIP68-final|not finalized|sequence locks on inputs not met/i, 'later'],
  // Core: min relay fee not met, mempool min fee not met, mempool full; btcd: insufficient priority, under the required
  // amount.
  [
    /min(imum)? relay fee not met|mempool min fee not met|mempool full|insufficient priority|under the required/i,
    'cheap',
  ],
  // Core's guard against a slip, of `sendrawtransaction` and of a package: what a node behind an Esplora server was not
  // asked to leave out (facts/faults.md 273).
  [/fee exceeds maximum|max feerate exceeded/i, 'dear'],
  // An unconfirmed relative too many, or too large (BIP 431): the next block heals it, but for a transaction that is
  // too large by itself.
  [/TRUC-violation(?!, version=3 tx \S+ \S+ is too big)/i, 'later'],
  // Before Core 31 too-long-mempool-chain.
  [/too-large-cluster|too-long-mempool-chain|no-mempool|rate limiter/i, 'later'],
];

/** An answer, or the refusal that a look at the inputs has to judge. */
export type Judged = BroadcastAnswer | { readonly is: 'unsure'; readonly reason: string };

/** For a stranger's transaction: nobody looks at inputs that it may have made up. */
export function unsureIsSpent(judged: Judged): BroadcastAnswer {
  return judged.is === 'unsure' ? { is: 'spent', reason: judged.reason } : judged;
}

/**
 * What a node meant by refusing a transaction. `unsure`: an input is unknown or spent, which only a look at the inputs
 * tells apart.
 */
export function judgeRejection(code: number, words: string): Judged {
  const text = cutWords(words);
  // btcd says "transaction is finalized" of an input whose sequence switches its locktime off: that never heals.
  const meaning = code === alreadyInChain ? 'accepted' : meanings.find(([pattern]) => pattern.test(text))?.[1];
  if (meaning === 'accepted') return { is: 'accepted' };
  if (meaning === 'cheap') return { is: 'later', reason: text, cheap: true };
  if (meaning === 'dear') return { is: 'later', reason: text, dear: true };
  return { is: meaning ?? 'refused', reason: text };
}
