import { expect, test } from 'vitest';
import { judgeRejection } from '../../../engine/adapters/bitcoin/rejection.ts';
import { coreRejections } from '../../support/core-rejections.ts';

/**
 * Codes and texts as Bitcoin Core’s validation.cpp, txmempool.cpp and rbf.cpp write them, and as the btcd of
 * `test/regtest` was seen
 * to answer.
 */
const answers: readonly (readonly [number, string, string])[] = [
  [-27, 'Transaction already in block chain', 'accepted'],
  [-27, 'Transaction outputs already in utxo set', 'accepted'],
  [-27, 'transaction already exists in blockchain', 'accepted'],
  [-26, 'txn-already-in-mempool', 'accepted'],
  [-26, 'txn-already-known', 'accepted'],
  [-26, 'already have transaction in mempool 4a5e', 'accepted'],
  [-25, 'bad-txns-inputs-missingorspent', 'unsure'],
  [-25, 'orphan transaction 4a5e references outputs of unknown or fully-spent transaction 4b5e', 'unsure'],
  [-26, 'txn-mempool-conflict', 'spent'],
  [-26, 'bad-txns-spends-conflicting-tx', 'spent'],
  [
    -26,
    'insufficient fee, rejecting replacement 4a5e; new feerate 0.00001 BTC/kvB <= old feerate 0.00002 BTC/kvB',
    'spent',
  ],
  [-26, 'output already spent in mempool: output=4a5e:0, tx=4b5e', 'spent'],
  [-26, 'replacement transaction has an insufficient fee rate: needs more than 3676, has 2941', 'spent'],
  [-26, 'replacement transaction 4a5e has an insufficient absolute fee: needs 5136, has 5001', 'spent'],
  [-26, 'non-final', 'later'],
  [-26, 'non-BIP68-final', 'later'],
  [-26, 'TX rejected: transaction 4a5e is not standard: transaction is not finalized', 'later'],
  [-26, "transaction's sequence locks on inputs not met", 'later'],
  [-26, 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 3', 'later'],
  [
    -25,
    'tried to spend coinbase transaction output 4a5e:0 from height 1401 at height 1402 before required maturity ' +
      'of 100 blocks',
    'later',
  ],
  [-26, 'min relay fee not met, 50 < 110', 'later'],
  [-26, 'mempool min fee not met, 200 < 500', 'later'],
  [-26, 'transaction 4a5e has insufficient priority (0 <= 5.76e+07)', 'later'],
  [-26, 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]', 'later'],
  [-22, 'TX decode failed. Make sure the tx has at least one input.', 'refused'],
  [-26, 'dust, tx with dust output must be 0-fee', 'refused'],
  [
    -25,
    'failed to validate input 4a5e:0: locktime requirement not satisfied -- locktime is greater than the ' +
      'transaction locktime: 1456 > 1450',
    'refused',
  ],
  [-25, 'failed to validate input 4a5e:0: transaction input is finalized', 'refused'],
  [-26, 'mempool-script-verify-flag-failed (Script failed an OP_EQUALVERIFY operation)', 'refused'],
  [-25, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)', 'later'],
];

test('each refusal means the same whichever node says it', () => {
  expect(answers.map(([code, text]) => [code, text, judgeRejection(code, text).is])).toEqual(answers);
});

test('fault 273, bitcoin: a fee above what a node takes is too dear to it, and no wrong transaction', () => {
  const words = ['Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)', 'max feerate exceeded'];
  expect(words.map((text) => judgeRejection(-25, text))).toEqual(
    words.map((reason) => ({ is: 'later', reason, dear: true })),
  );
});

test('fault 82, bitcoin: every reason of Bitcoin Core means one thing, bare or with its details', () => {
  const means = (text: string) => judgeRejection(-26, text).is;
  const listed = Object.entries(coreRejections);
  expect(listed.map(([text]) => [text, means(text)])).toEqual(listed);
  expect(listed.map(([text]) => [text, means(`${text}, details of 4a5e`)])).toEqual(listed);
});

test('fault 82, bitcoin: a rival that pays more is to be outbid, in the words of Core 31', () => {
  expect(
    [
      'replacement-failed, insufficient feerate: does not improve feerate diagram',
      'insufficient fee (including sibling eviction), rejecting replacement 4a5e, not enough additional fees to ' +
        'relay; 0.00 < 0.00000011',
      'insufficient fee, rejecting replacement 4a5e, less fees than conflicting txs; 0.00001 < 0.00002',
      'too many potential replacements, rejecting replacement 4a5e; too many conflicting clusters (101 > 100)',
      'too-large-cluster',
      'TRUC-violation, tx 4a5e (wtxid=4b5e) would have too many ancestors',
      'TRUC-violation, version=3 child tx 4a5e (wtxid=4b5e) is too big: 1200 > 1000 virtual bytes',
      'TRUC-violation, version=3 tx 4a5e (wtxid=4b5e) is too big: 12000 > 10000 virtual bytes',
    ].map((text) => judgeRejection(-26, text).is),
  ).toEqual(['spent', 'spent', 'spent', 'spent', 'later', 'later', 'later', 'refused']);
});
