import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConditionWitness, Transaction, getArkPsbtFields } from '@arkade-os/sdk';
import { schnorr } from '@noble/curves/secp256k1.js';
import { SigHash } from '@scure/btc-signer';
import { hex } from '@scure/base';
import type { BatchEvent } from '../../../engine/sandbox/world/arkade/batch-events.ts';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import { type ForfeitChoice, forfeitOf, joinBatch } from './join.ts';
import {
  type Party,
  type ProofInput,
  type TestClock,
  type TestCoin,
  type TestVhtlc,
  buildSpend,
  inputOf,
  keyOf,
  openContract,
  parse,
  pay,
  prove,
  refusalOf,
  send,
} from './support.ts';

let operator: Operator;
let clock: TestClock;
let alice: Party;
let bob: Party;
let contract: TestVhtlc;
let coin: TestCoin;
let target: TestVhtlc;

beforeEach(async () => {
  ({ operator, clock, alice, bob, contract, coin, target } = await openContract());
});
afterEach(() => operator.stop());

function out(amount = 10_000): { script: Uint8Array; amount: bigint } {
  return { script: target.script.pkScript, amount: BigInt(amount) };
}

function claimInput(of: TestCoin = coin): ProofInput {
  return { coin: of, leaf: contract.leaves.claim, witness: contract.preimage };
}

function forfeitBy(
  choice: ForfeitChoice,
  input = claimInput(),
): (connectors: readonly Transaction[]) => Promise<string[]> {
  return async ([connector]) => [await forfeitOf(input, choice, connector as Transaction)];
}

const byClaim = (): ForfeitChoice => ({ leaf: contract.leaves.claim, signers: [bob], witness: contract.preimage });

function join(
  forfeits?: (connectors: readonly Transaction[]) => Promise<readonly string[]>,
  input = claimInput(),
  signers = [bob],
): Promise<string> {
  return joinBatch(operator, bob, {
    inputs: [input],
    outputs: [out()],
    signers,
    ...(forfeits === undefined ? {} : { forfeits }),
  });
}

function state(of: TestCoin = coin): (string | boolean | undefined)[] {
  const [coin] = operator.indexer.coins({ outpoints: [keyOf(of)] });
  return [coin?.spent, coin?.spentBy, coin?.settledBy, coin?.arkTxid];
}

describe('a batch', () => {
  test('takes a live coin by the claim leaf, and its forfeit shows the preimage afterwards', async () => {
    const commitment = await join(forfeitBy(byClaim()));
    const [spent, spentBy, settledBy, arkTxid] = state();
    const [forfeit = ''] = operator.indexer.virtualTxs([String(spentBy)]);
    expect({
      spent,
      settledBy,
      arkTxid,
      witness: getArkPsbtFields(parse(forfeit), 0, ConditionWitness),
      listed: operator.indexer.forfeitTxids(commitment),
    }).toEqual({
      spent: true,
      settledBy: commitment,
      arkTxid: '',
      witness: [[contract.preimage]],
      listed: [spentBy],
    });
  });

  test('takes a live coin with a forfeit signed by all before its connector was known', async () => {
    const choice = { leaf: contract.leaves.refund, signers: [alice, bob], presigned: true };
    const commitment = await join(forfeitBy(choice), { coin, leaf: contract.leaves.refund }, [alice, bob]);
    expect(state()[2]).toBe(commitment);
  });

  test('takes a recoverable coin without a forfeit', async () => {
    operator.faults.expire(keyOf(coin));
    const commitment = await join();
    expect({ state: state(), connectors: operator.indexer.connectors(commitment) }).toEqual({
      state: [true, '', commitment, ''],
      connectors: [],
    });
  });

  test('ends in coins whose tree is signed for its commitment and whose chain reaches it', async () => {
    const commitment = await join(forfeitBy(byClaim()));
    const [leaf] = operator.indexer.leaves(commitment);
    const [psbt = ''] = operator.indexer.virtualTxs([leaf?.txid ?? '']);
    const tree = parse(psbt);
    const raw = Transaction.fromRaw(hex.decode(operator.indexer.commitment(commitment).rawTx));
    const shared = raw.getOutput(0);
    const message = tree.preimageWitnessV1(0, [shared.script ?? new Uint8Array()], SigHash.DEFAULT, [
      shared.amount ?? 0n,
    ]);
    const input = tree.getInput(0);
    expect({
      raw: raw.id,
      spends: hex.encode(input.txid ?? new Uint8Array()),
      signed: schnorr.verify(
        input.tapKeySig ?? new Uint8Array(64),
        message,
        (shared.script ?? new Uint8Array()).subarray(2),
      ),
      chain: operator.indexer.chain(leaf?.txid ?? '', 0).map(({ type, txid }) => [type.slice(24), txid]),
      coin: operator.indexer.coins({ outpoints: [`${leaf?.txid}:0`] }),
    }).toMatchObject({
      raw: commitment,
      spends: commitment,
      signed: true,
      chain: [
        ['TREE', leaf?.txid],
        ['COMMITMENT', commitment],
      ],
      coin: [
        {
          amount: 10_000n,
          preconfirmed: false,
          depth: 0,
          commitmentTxids: [commitment],
          expiresAt: clock.now() + 604_672,
        },
      ],
    });
  });

  test('tells the indexer, the watchers of its scripts and the public stream', async () => {
    const events: string[][] = [];
    const scripts = [hex.encode(contract.script.pkScript)];
    operator.attach(operator.subscribe(scripts), {
      event: ({ txid, newVtxos, spentVtxos, tx }) =>
        events.push(['script', txid, String(newVtxos.length), spentVtxos[0]?.settledBy ?? '', tx.slice(0, 8)]),
      end: () => undefined,
    });
    operator.transactions(({ kind, txid, spendableVtxos }) => events.push([kind, txid, String(spendableVtxos.length)]));
    const commitment = await join(forfeitBy(byClaim()));
    expect(events).toEqual([
      ['script', commitment, '0', commitment, '02000000'],
      ['commitmentTx', commitment, '1'],
    ]);
  });

  test('gives back its intent by the id of the proof', async () => {
    operator.faults.expire(keyOf(coin));
    const before = await prove({ type: 'get-intent', expire_at: 0 }, [claimInput()], [], [bob]);
    const running = join();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const [queued] = operator.getIntents(before);
    await running;
    expect(queued === undefined ? null : operator.finishedIntent(parse(queued.proof).id)).toEqual(
      queued ?? 'nothing was queued',
    );
  });

  test('leaves out whom it does not know a topic of', async () => {
    const kinds: string[] = [];
    operator.batchEvents(['aa'], {
      event: (event: BatchEvent) => kinds.push(Object.keys(event)[0] ?? ''),
      end: () => undefined,
    });
    await join(forfeitBy(byClaim()));
    expect(kinds).toEqual([
      'streamStarted',
      'batchStarted',
      'treeSigningStarted',
      'treeNoncesAggregated',
      'batchFinalization',
      'batchFinalized',
    ]);
  });
});

describe('a batch fails', () => {
  beforeEach(() => operator.configure({ stages: { registration: 20, confirmation: 1_000, finalization: 800 } }));

  test('when a forfeit is withheld, convicting nobody and freeing the coin', async () => {
    for (let i = 0; i < 3; i++)
      await expect(join()).rejects.toThrow(/^INTERNAL_ERROR \(0\): missing forfeit transactions$/);
    const claim = await buildSpend(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob], contract.preimage);
    expect([state(), refusalOf(() => send(operator, claim))]).toEqual([[false, '', '', ''], null]);
  });

  test('when a forfeit lacks its preimage or a signature', async () => {
    const reason = 'INVALID_FORFEIT_TXS (26): invalid forfeit txs signature';
    await expect(join(forfeitBy({ leaf: contract.leaves.claim, signers: [bob] }))).rejects.toThrow(reason);
    const short = { leaf: contract.leaves.refund, signers: [bob], presigned: true };
    await expect(join(forfeitBy(short), { coin, leaf: contract.leaves.refund }, [alice, bob])).rejects.toThrow(reason);
    expect(state()).toEqual([false, '', '', '']);
  });

  test('when a partial signature is wrong', async () => {
    const joining = { inputs: [claimInput()], outputs: [out()], signers: [bob], badSignature: true };
    await expect(joinBatch(operator, bob, joining)).rejects.toMatchObject({ code: 18 });
  });
});

describe('a forfeit is refused', () => {
  beforeEach(() => operator.configure({ stages: { registration: 20, confirmation: 1_000, finalization: 800 } }));

  const text = (rest: string): object => ({
    code: 26,
    message: expect.stringContaining(`failed to sign forfeit txs: ${rest}`),
  });

  test('by the late leaf before its locktime, and after it when it carries none', async () => {
    const input = { coin, leaf: contract.leaves.late, sequence: 0xfffffffe };
    const late = { leaf: contract.leaves.late, signers: [alice] };
    await expect(join(forfeitBy(late, input), input, [alice])).rejects.toMatchObject(
      text('forfeit closure is CLTV locked'),
    );
    clock.setMtp(clock.now() + 1_000);
    await settleDown();
    await expect(join(forfeitBy(late, input), input, [alice])).rejects.toMatchObject(
      text('invalid forfeit tx: expected txid'),
    );
  });

  test('by an exit leaf', async () => {
    const input = { coin, leaf: contract.leaves.exitLate };
    await expect(
      join(forfeitBy({ leaf: contract.leaves.exitLate, signers: [alice] }, input), input, [alice]),
    ).rejects.toMatchObject(text('invalid forfeit closure script'));
  });

  test('over a foreign connector or for a coin that needs none', async () => {
    const stranger = new Transaction({ version: 3 });
    stranger.addInput({ txid: 'ab'.repeat(32), index: 0 });
    stranger.addOutput({ script: target.script.pkScript, amount: 330n });
    await expect(join(async () => [await forfeitOf(claimInput(), byClaim(), stranger)])).rejects.toMatchObject(
      text('invalid forfeit tx: connector'),
    );
    await settleDown();
    const other = pay(operator, contract, 10_000);
    const superfluous = async ([connector]: readonly Transaction[]): Promise<string[]> => [
      await forfeitOf(claimInput(other), byClaim(), connector as Transaction),
    ];
    await expect(join(superfluous)).rejects.toMatchObject(text('invalid forfeit tx: unknown or superfluous'));
  });

  test('when two of them share a connector', async () => {
    const other = pay(operator, contract, 10_000);
    const inputs = [claimInput(), claimInput(other)];
    const joining = {
      inputs,
      outputs: [out(20_000)],
      signers: [bob],
      forfeits: async ([connector]: readonly Transaction[]) =>
        Promise.all(inputs.map((input) => forfeitOf(input, byClaim(), connector as Transaction))),
    };
    await expect(joinBatch(operator, bob, joining)).rejects.toMatchObject({ code: 26 });
  });
});

/** Waits until the round that just failed has let its coins go. */
function settleDown(): Promise<void> {
  return new Promise((resolve) => {
    const leave = operator.batchEvents([], {
      event(event) {
        if (!('batchFailed' in event)) return;
        leave();
        resolve();
      },
      end: () => undefined,
    });
  });
}
