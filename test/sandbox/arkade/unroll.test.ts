import { expect, test } from 'vitest';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { Coin } from '../../../engine/sandbox/world/bitcoin/ledger.ts';
import { scriptFault } from '../../../engine/sandbox/world/bitcoin/interpreter.ts';
import type { Tx } from '../../../engine/sandbox/world/bitcoin/tx.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { openChain } from '../bitcoin-support.ts';
import { forfeitOf, joinBatch } from './join.ts';
import {
  type Party,
  buildSpend,
  inputOf,
  keyOf,
  party,
  pay,
  refusalOf,
  send,
  spendFully,
  testOperator,
  vhtlc,
  walletScript,
} from './support.ts';

const amount = 10_000;

function open() {
  const journal = memoryJournal();
  const bitcoin = openChain(journal);
  return { bitcoin, ...testOperator({ journal, clock: bitcoin.clock, chain: bitcoin }) };
}

/** What the scripts of a block's transactions say about the witnesses, of those whose coins that block made. */
function verdicts(transactions: readonly Tx[]): (string | null)[] {
  const made = new Map<string, object>(
    transactions.flatMap((tx) =>
      tx.outputs.map(
        (output, vout) => [`${tx.txid}:${vout}`, { ...output, outpoint: { txid: tx.txid, vout } }] as const,
      ),
    ),
  );
  return transactions.flatMap((tx) => {
    const coins = tx.inputs.flatMap(({ spends }) => made.get(outpointKey(spends)) ?? []);
    return coins.length === 0 ? [] : [scriptFault(tx, coins as unknown as Coin[])];
  });
}

async function claimed(alice: Party, bob: Party, setup: ReturnType<typeof open>) {
  const { operator, bitcoin } = setup;
  const contract = vhtlc(operator, alice, bob, bitcoin.clock.now() + 90_000);
  const own = walletScript(operator, alice);
  const coin = pay(operator, own, amount);
  const outputs = [contract, own].map(({ script }, i) => ({
    script: script.pkScript,
    amount: i === 0 ? 6_000n : 4_000n,
  }));
  const funding = await spendFully(operator, [inputOf(coin, own.leaves.refund)], outputs, [alice]);
  const locked = { txid: funding, vout: 0, value: 6_000, of: contract };
  const to = walletScript(operator, bob);
  const claim = await spendFully(
    operator,
    [inputOf(locked, contract.leaves.claim)],
    [{ script: to.script.pkScript, amount: 6_000n }],
    [bob],
    contract.preimage,
  );
  return {
    coin,
    contract,
    own,
    locked,
    change: { txid: funding, vout: 1, value: 4_000, of: own },
    last: { txid: claim, vout: 0, value: 6_000, of: to },
  };
}

test('an unrolled coin comes to the chain with its whole ancestry, under witnesses that the chain accepts', async () => {
  const setup = open();
  const { operator, bitcoin } = setup;
  const { coin, locked, last } = await claimed(await party(), await party(), setup);
  operator.faults.unroll(keyOf(last));
  bitcoin.mine(1);
  const { transactions } = bitcoin.tip();
  expect({
    order: [coin.txid, locked.txid, last.txid].map((txid) => transactions.findIndex((tx) => tx.txid === txid)),
    verdicts: verdicts(transactions),
    coin: bitcoin.coin(last)?.amount,
  }).toEqual({ order: [2, 4, 6], verdicts: [null, null, null, null, null], coin: 6_000n });
  operator.stop();
});

test('the change beside an unrolled coin is unrolled too and moves off chain no more', async () => {
  const setup = open();
  const { operator, bitcoin } = setup;
  const alice = await party();
  const { contract, locked, change, own } = await claimed(alice, await party(), setup);
  operator.faults.unroll(keyOf(locked));
  const spend = await buildSpend(
    operator,
    [inputOf(change, own.leaves.refund)],
    [{ script: own.script.pkScript, amount: 4_000n }],
    [alice],
  );
  bitcoin.mine(1);
  const listed = operator.indexer
    .coins({ outpoints: [keyOf(locked), keyOf(change)] })
    .map(({ unrolled, spent }) => [unrolled, spent]);
  const onChain = bitcoin.coinsOf(contract.script.pkScript).map((each) => each.amount);
  expect([listed, onChain, refusalOf(() => send(operator, spend))?.code]).toEqual([
    [
      [true, true],
      [true, false],
    ],
    [6_000n],
    7,
  ]);
  operator.stop();
});

test('a batch stands on the chain: what it pays there, and the coins under it when they are unrolled', async () => {
  const { operator, bitcoin } = open();
  const [alice, bob] = [await party(), await party()];
  const own = walletScript(operator, alice);
  const input = { coin: pay(operator, own, amount), leaf: own.leaves.refund };
  const target = walletScript(operator, bob);
  const commitment = await joinBatch(operator, alice, {
    inputs: [input],
    outputs: [{ script: target.script.pkScript, amount: sats(amount) }],
    signers: [alice],
    forfeits: async ([connector]) => [
      await forfeitOf(input, { leaf: own.leaves.refund, signers: [alice] }, connector as NonNullable<typeof connector>),
    ],
  });
  const [leaf] = operator.indexer.leaves(commitment);
  bitcoin.mine(1);
  const shared = bitcoin.coin({ txid: commitment, vout: 0 })?.amount;
  operator.faults.unroll(`${leaf?.txid}:0`);
  bitcoin.mine(1);
  const [tree] = bitcoin.tip().transactions.slice(1) as [Tx];
  const parent = bitcoin.transaction(commitment)?.tx.outputs[0];
  const fault = scriptFault(tree, [{ ...parent, outpoint: { txid: commitment, vout: 0 } } as unknown as Coin]);
  expect([shared, fault, bitcoin.coinsOf(target.script.pkScript).map((each) => each.amount)]).toEqual([
    10_000n,
    null,
    [10_000n],
  ]);
  operator.stop();
});
