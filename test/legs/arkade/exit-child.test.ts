import { p2tr } from '@scure/btc-signer';
import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { buildExitChild, planExitChild, type FeeCoin } from '../../../engine/legs/arkade/exit-child.ts';
import { anchorScript, newTx, type Tx } from '../../../engine/legs/psbt.ts';
import { keyPathSecret, schnorrSign, xOnlyKeyOf } from '../../../engine/legs/secp256k1.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { openChain } from '../../sandbox/bitcoin-support.ts';

const secret = new Uint8Array(32).fill(5);
const script = p2tr(xOnlyKeyOf(secret)).script;
const ceiling = sats(50_000);

function sign(_: FeeCoin, message: Uint8Array): Uint8Array {
  return schnorrSign(message, keyPathSecret(secret));
}

/** A chain where a key of ours has coins of these amounts, and the fee-less version 3 transaction of another one. */
function world(...amounts: number[]) {
  const bitcoin = openChain(memoryJournal());
  const [first, ...rest] = [50_000, ...amounts].map((amount) => bitcoin.faucet(script, sats(amount)));
  bitcoin.mine(1);
  const coins = rest.map((outpoint, i): FeeCoin => {
    if (outpoint === null) throw new Error('the faucet is empty');
    return { outpoint, amount: sats(amounts[i] ?? 0), script };
  });
  if (first === null || first === undefined) throw new Error('the faucet is empty');
  const parent = newTx({ version: 3, lockTime: 0 });
  parent.addInput({ txid: first.txid, index: first.vout, witnessUtxo: { script, amount: 50_000n } });
  parent.addOutput({ script, amount: 50_000n });
  parent.addOutput({ script: anchorScript, amount: 0n });
  const message = parent.preimageWitnessV1(0, [script], 0, [50_000n]);
  parent.updateInput(0, { finalScriptWitness: [schnorrSign(message, keyPathSecret(secret))] }, true);
  return { bitcoin, coins, parent };
}

function childOf(parent: Tx, coins: readonly FeeCoin[], rate: number, more = {}) {
  const plan = planExitChild({ parent, coins, to: script, rate, mostFee: ceiling, replaces: null, ...more });
  return plan && { plan, ...buildExitChild(plan, script, sign) };
}

test('a child of the anchor carries a transaction without fee into the mempool, and both into a block', () => {
  const { bitcoin, coins, parent } = world(20_000, 100_000);
  const child = childOf(parent, coins, 5);
  if (child === null) throw new Error('no child');
  expect(() => bitcoin.submit(parent.extract())).toThrow('min relay fee not met');
  bitcoin.submitPackage([parent.extract(), child.bytes]);
  const vsize = parent.vsize + (bitcoin.waiting(child.txid)?.tx.vsize ?? 0);
  bitcoin.mine(1);
  expect({
    coin: child.plan.coins,
    fee: child.plan.fee,
    rate: child.plan.rate,
    heights: [parent.id, child.txid].map((txid) => bitcoin.transaction(txid)?.height),
  }).toEqual({
    coin: [coins[0]],
    fee: BigInt(vsize * 5),
    rate: 5,
    heights: [bitcoin.tip().height, bitcoin.tip().height],
  });
});

test('a dearer child from the same coins takes the place of the first', () => {
  const { bitcoin, coins, parent } = world(20_000);
  const first = childOf(parent, coins, 2);
  if (first === null) throw new Error('no child');
  bitcoin.submitPackage([parent.extract(), first.bytes]);
  const second = childOf(parent, [], 2.1, { keep: first.plan.coins, replaces: first.plan.fee });
  if (second === null) throw new Error('no second child');
  bitcoin.submitPackage([parent.extract(), second.bytes]);
  expect([bitcoin.waiting(first.txid), bitcoin.waiting(second.txid)?.tx.txid]).toEqual([undefined, second.txid]);
});

test.each([
  ['two coins where none suffices alone', [1_100, 1_200], 5, 2],
  ['the smallest that suffices', [900, 5_000, 100_000], 5, 1],
])('%s pay', (_, amounts, rate, count) => {
  const { bitcoin, coins, parent } = world(...amounts);
  const child = childOf(parent, coins, rate);
  if (child === null) throw new Error('no child');
  bitcoin.submitPackage([parent.extract(), child.bytes]);
  expect([child.plan.coins.length, child.plan.rate >= rate, bitcoin.waiting(child.txid)?.tx.txid]).toEqual([
    count,
    true,
    child.txid,
  ]);
});

test('a fee goes as far as coins and ceiling do, and below one sat per byte nothing is built', () => {
  const { coins, parent } = world(1_200);
  const poor = childOf(parent, coins, 50);
  const capped = childOf(parent, coins, 50, { mostFee: sats(400) });
  expect([
    poor?.plan.left,
    poor?.plan.capped,
    capped?.plan.fee,
    childOf(parent, coins, 50, { mostFee: sats(100) }),
    childOf(parent, [], 5),
  ]).toEqual([330n, true, 400n, null, null]);
});
