import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { type Operator, createOperator } from '../../../engine/sandbox/world/arkade/operator.ts';
import { operatorKeys } from '../../../engine/sandbox/world/arkade/settings.ts';
import { type BitcoinWorld, createBitcoin } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import { scriptFault } from '../../../engine/sandbox/world/bitcoin/interpreter.ts';
import { createTime } from '../../../engine/sandbox/world/clock.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { ashore, boardingScript, signsFor } from './board.ts';
import { type Joining, joinBatch } from './join.ts';
import {
  type Party,
  type TestCoin,
  type TestVhtlc,
  party,
  prove,
  recordedDelays,
  refusalOf,
  register,
  walletScript,
} from './support.ts';

let chain: BitcoinWorld;
let operator: Operator;
let alice: Party;
let boarding: TestVhtlc;
let coin: TestCoin;

const seed = new Uint8Array(32).fill(7);
const walletFee = 396n;

beforeEach(async () => {
  const journal = memoryJournal();
  chain = createBitcoin({ journal, time: createTime(journal) });
  operator = createOperator({
    clock: chain.clock,
    journal,
    chain,
    seed,
    settings: { ...recordedDelays, stages: { registration: 20, confirmation: 3_000, finalization: 1_500 } },
  });
  alice = await party();
  boarding = boardingScript(operator, alice);
  coin = ashore(chain, boarding, 50_000);
});
afterEach(() => operator.stop());

const target = () => walletScript(operator, alice);
const wish = (more: Partial<Joining> = {}): Joining => ({
  inputs: [{ coin, leaf: boarding.leaves.refund }],
  outputs: [{ script: target().script.pkScript, amount: 49_000n }],
  signers: [alice],
  boards: (commitment) => signsFor([coin], alice, commitment),
  ...more,
});

async function registration(of: TestCoin = coin) {
  const intent = await prove(
    register(['02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5']),
    [{ coin: of, leaf: of.of.leaves.refund }],
    [{ script: target().script.pkScript, amount: 40_000n }],
    [alice],
  );
  return refusalOf(() => operator.registerIntent(intent));
}

test('a confirmed coin at a boarding address becomes virtual, and is spent by the commitment', async () => {
  chain.mine(1);
  const commitmentTxid = await joinBatch(operator, alice, wish());
  expect(operator.indexer.coins({ scripts: [toHex(target().script.pkScript)] })).toMatchObject([
    { amount: 49_000n, spent: false, preconfirmed: false, commitmentTxids: [commitmentTxid] },
  ]);
  chain.mine(1);
  const { tx } = chain.transaction(commitmentTxid) ?? { tx: null };
  expect([chain.spend(coin)?.txid, chain.coin(coin)]).toEqual([commitmentTxid, undefined]);
  if (tx === null) throw new Error('the commitment transaction is not on the chain');
  // The chain would have taken it: both signatures and the leaf stand up to the interpreter.
  const paid = tx.outputs.reduce((sum, { amount }) => sum + amount, 0n);
  const played = {
    outpoint: { txid: '', vout: 0 },
    amount: sats(paid + walletFee - 50_000n),
    script: operatorKeys(seed).wallet.script,
    height: 1,
    coinbase: false,
  };
  const boarded = {
    outpoint: { txid: coin.txid, vout: coin.vout },
    amount: sats(50_000),
    script: boarding.script.pkScript,
    height: 1,
    coinbase: false,
  };
  expect([scriptFault(tx, [played, boarded]), scriptFault(tx, [played, { ...boarded, amount: sats(50_001) }])]).toEqual(
    [null, expect.any(String)],
  );
});

test('a boarding coin and a virtual one go through one batch', async () => {
  chain.mine(1);
  const own = target();
  const address = own.script.address('tark', fromHex(operator.info().signerPubkey).subarray(1)).encode();
  const virtual = { ...operator.faucet(address, sats(10_000)), value: 10_000, of: own };
  operator.faults.expire(`${virtual.txid}:${virtual.vout}`);
  const inputs = [
    { coin, leaf: boarding.leaves.refund },
    { coin: virtual, leaf: own.leaves.refund },
  ];
  await joinBatch(operator, alice, wish({ inputs, outputs: [{ script: own.script.pkScript, amount: 59_000n }] }));
  expect(operator.indexer.coins({ scripts: [toHex(own.script.pkScript)] }).filter(({ spent }) => !spent)).toMatchObject(
    [{ amount: 59_000n }],
  );
});

describe('a coin does not go on board', () => {
  test('unconfirmed, unknown, with its exit open, or under another script than the operator asks for', async () => {
    const early = await registration();
    chain.mine(1);
    const unknown = await registration({ ...coin, txid: 'ab'.repeat(32) });
    const short = ashore(chain, boardingScript(operator, alice, 512), 50_000);
    const wrong = { ...coin, value: 50_001 };
    chain.mine(1);
    const [brief, worth] = [await registration(short), await registration(wrong)];
    chain.advance(3 * 1_024);
    const late = await registration();
    expect([early, unknown, brief, worth, late]).toMatchObject([
      { code: 5, message: expect.stringContaining('not confirmed') },
      { code: 5, message: expect.stringContaining('transaction not found') },
      { code: 10, message: expect.stringContaining('exit delay is too short') },
      { code: 5, message: expect.stringContaining('mismatch') },
      { code: 5, message: expect.stringContaining('expired') },
    ]);
  });

  test('twice at once', async () => {
    chain.mine(1);
    expect([await registration(), await registration()]).toMatchObject([
      null,
      { message: expect.stringContaining('duplicated input') },
    ]);
  });

  test('without the signature of its owner on the commitment transaction, and it stays where it is', async () => {
    chain.mine(1);
    await expect(joinBatch(operator, alice, wish({ boards: async (commitment) => commitment }))).rejects.toThrow(
      /missing signatures of boarding inputs/,
    );
    await expect(
      joinBatch(
        operator,
        alice,
        wish({
          boards: async (commitment) => {
            const signed = await signsFor([coin], alice, commitment);
            const index =
              Array.from({ length: signed.inputsLength }, (_, i) => i).find(
                (i) => signed.getInput(i).tapScriptSig !== undefined,
              ) ?? 0;
            const [[id, signature]] = signed.getInput(index).tapScriptSig as [[never, Uint8Array]];
            const removal: object = { tapScriptSig: undefined };
            signed.updateInput(index, removal, true);
            signed.updateInput(index, {
              tapScriptSig: [[id, signature.map((byte, i) => (i === 40 ? byte ^ 1 : byte))]],
            });
            return signed;
          },
        }),
      ),
    ).rejects.toThrow(/invalid signature of a boarding input/);
    expect(chain.coin(coin)?.amount).toBe(50_000n);
  });
});
