import { beforeEach, describe, expect, test } from 'vitest';
import {
  CLTVMultisigTapscript,
  CSVMultisigTapscript,
  MultisigTapscript,
  Transaction,
  VtxoScript,
  VtxoTaprootTree,
  getArkPsbtFields,
  setArkPsbtField,
} from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { hex } from '@scure/base';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import { replaceSignatures } from '../../../engine/sandbox/world/arkade/psbt.ts';
import {
  type BuiltSpend,
  type Party,
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
  register,
  send,
  signAll,
  signWith,
  signerOf,
  spendFully,
  testOperator,
  text,
  vhtlc,
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

function out(amount = 10_000): { script: Uint8Array; amount: bigint } {
  return { script: target.script.pkScript, amount: BigInt(amount) };
}

function claim(
  witness: Uint8Array | undefined = contract.preimage,
  signers = [bob],
  amount = 10_000,
): Promise<BuiltSpend> {
  return buildSpend(operator, [inputOf(coin, contract.leaves.claim)], [out(amount)], signers, witness);
}

/** Rebuilds a transaction with other outputs, and signs it. */
async function withOutputs(
  spend: BuiltSpend,
  outputs: readonly { script: Uint8Array; amount: bigint }[],
  signers = [bob],
): Promise<BuiltSpend> {
  const tx = new Transaction({ version: 3 });
  const input = spend.arkTx.getInput(0);
  tx.addInput({
    txid: input.txid as Uint8Array,
    index: 0,
    sequence: 0xffffffff,
    witnessUtxo: input.witnessUtxo as NonNullable<typeof input.witnessUtxo>,
    tapLeafScript: input.tapLeafScript as NonNullable<typeof input.tapLeafScript>,
    unknown: input.unknown as NonNullable<typeof input.unknown>,
  });
  for (const output of outputs) tx.addOutput(output);
  return { ...spend, arkTx: await signAll(tx, signers) };
}

const anchor = { script: hex.decode('51024e73'), amount: 0n };

describe('an ark transaction is taken', () => {
  test('by the claim leaf with the preimage: its coin is spent at once, its output comes with finalize', async () => {
    const spend = await claim();
    const reply = send(operator, spend);
    const [spent] = operator.indexer.coins({ outpoints: [keyOf(coin)] });
    const signed = parse(reply.signedCheckpointTxs[0] ?? '');
    expect({
      txid: reply.arkTxid,
      spent: [spent?.spent, spent?.arkTxid, spent?.spentBy],
      outputs: operator.indexer.coins({ scripts: [hex.encode(target.script.pkScript)] }),
      arkSigners: parse(reply.finalArkTx)
        .getInput(0)
        .tapScriptSig?.map(([id]) => hex.encode(id.pubKey)),
      tapTree: getArkPsbtFields(signed, 0, VtxoTaprootTree)[0],
      checkpointSigners: signed.getInput(0).tapScriptSig?.map(([id]) => hex.encode(id.pubKey)),
    }).toEqual({
      txid: spend.arkTx.id,
      spent: [true, spend.arkTx.id, spend.checkpoints[0]?.id],
      outputs: [],
      arkSigners: [hex.encode(bob.xOnly), hex.encode(signerOf(operator))],
      checkpointSigners: [hex.encode(signerOf(operator))],
      tapTree: contract.script.encode(),
    });
  });

  test('by the leaf of all three, with a cosigner, and by the late leaf once median time past is there', async () => {
    const together = await buildSpend(operator, [inputOf(coin, contract.leaves.refund)], [out()], [alice, bob]);
    expect(send(operator, together).arkTxid).toBe(together.arkTx.id);
    coin = pay(operator, contract, 10_000);
    const late = await buildSpend(operator, [inputOf(coin, contract.leaves.late)], [out()], [alice]);
    clock.setMtp(clock.now() + 999);
    expect(refusalOf(() => send(operator, late))).toMatchObject({
      code: 11,
      grpc: 9,
      metadata: ['current_locktime', 'locktime', 'type'],
    });
    clock.setMtp(clock.now() + 1_000);
    expect(send(operator, late).arkTxid).toBe(late.arkTx.id);
  });

  test('over two coins of one script', async () => {
    const other = pay(operator, contract, 5_000);
    const inputs = [coin, other].map((each) => inputOf(each, contract.leaves.claim));
    const txid = await spendFully(operator, inputs, [out(15_000)], [bob], contract.preimage);
    expect(operator.indexer.coins({ outpoints: [`${txid}:0`] })).toMatchObject([
      { amount: 15_000n, preconfirmed: true, depth: 1 },
    ]);
  });

  test("whatever it says about the operator's signature or its checkpoint's value: both are replaced", async () => {
    const spend = await claim();
    const [entry] = spend.arkTx.getInput(0).tapScriptSig ?? [];
    if (entry === undefined) throw new Error('unsigned');
    const arkTx = parse(text(spend.arkTx));
    replaceSignatures(arkTx, 0, [
      entry,
      [{ pubKey: signerOf(operator), leafHash: entry[0].leafHash }, new Uint8Array(64)],
    ]);
    arkTx.updateInput(0, { witnessUtxo: { script: target.script.pkScript, amount: 1n } }, true);
    const input = parse(send(operator, { ...spend, arkTx }).finalArkTx).getInput(0);
    expect([
      input.witnessUtxo?.amount,
      input.tapScriptSig?.some(([, signature]) => signature.every((byte) => byte === 0)),
    ]).toEqual([10_000n, false]);
  });

  test('with a 31-byte preimage under the loose condition only', async () => {
    const preimage = new Uint8Array(31).fill(5);
    const answers = [];
    for (const strict of [false, true]) {
      contract = vhtlc(operator, alice, bob, clock.now() + 1_000, { preimage, strict });
      coin = pay(operator, contract, 10_000);
      const spend = await claim();
      answers.push(refusalOf(() => send(operator, spend))?.code ?? null);
    }
    expect(answers).toEqual([null, 18]);
  });
});

describe('an ark transaction is refused', () => {
  async function codeOf(spend: BuiltSpend | Promise<BuiltSpend>): Promise<ReturnType<typeof refusalOf>> {
    const built = await spend;
    return refusalOf(() => send(operator, built));
  }

  test('when a part of the request is missing or no PSBT', async () => {
    const spend = await claim();
    expect([
      refusalOf(() => operator.submit('', [])),
      refusalOf(() => operator.submit(text(spend.arkTx), [])),
      refusalOf(() => operator.submit('AAAA', ['AAAA'])),
      refusalOf(() => operator.submit(text(spend.arkTx), ['AAAA'])),
    ]).toMatchObject([
      { code: null, grpc: 3, message: 'missing signed ark tx' },
      { code: null, grpc: 3, message: 'missing checkpoint txs' },
      { code: 1, grpc: 3, metadata: ['tx'] },
      { code: 1, grpc: 3, metadata: ['tx'] },
    ]);
  });

  test('when it was seen before, accepted or final', async () => {
    const spend = await claim();
    send(operator, spend);
    expect(await codeOf(spend)).toMatchObject({
      code: 1,
      grpc: 3,
      message: `INVALID_ARK_PSBT (1): duplicated offchain tx ${spend.arkTx.id}`,
    });
  });

  test('when two checkpoints spend one coin', async () => {
    const spend = await claim();
    const other = await buildSpend(operator, [inputOf(coin, contract.leaves.refund)], [out()], [alice, bob]);
    expect(await codeOf({ ...spend, checkpoints: [...spend.checkpoints, ...other.checkpoints] })).toMatchObject({
      code: 5,
      message: `INVALID_PSBT_INPUT (5): duplicated vtxo input ${keyOf(coin)}`,
    });
  });

  test('when an input has no checkpoint', async () => {
    const spend = await claim();
    const other = await buildSpend(
      operator,
      [inputOf(pay(operator, contract, 700), contract.leaves.claim)],
      [out(700)],
      [bob],
      contract.preimage,
    );
    expect(await codeOf({ ...spend, checkpoints: other.checkpoints })).toEqual({
      code: null,
      grpc: 2,
      message: 'INTERNAL_ERROR (0): something went wrong',
      metadata: [],
    });
  });

  test('when a coin is unknown', async () => {
    coin = { ...coin, txid: 'ab'.repeat(32) };
    expect(await codeOf(claim())).toMatchObject({ code: 30, grpc: 5, metadata: ['got_vtxos', 'vtxo_outpoints'] });
  });

  test('when a coin is pending elsewhere, spent, registered, unrolled, expired or banned', async () => {
    const [elsewhere, spent, registered, unrolled, expired, swept] = Array.from({ length: 6 }, () =>
      pay(operator, contract, 10_000),
    ) as [TestCoin, TestCoin, TestCoin, TestCoin, TestCoin, TestCoin];
    send(operator, await buildSpend(operator, [inputOf(elsewhere, contract.leaves.refund)], [out()], [alice, bob]));
    await spendFully(operator, [inputOf(spent, contract.leaves.refund)], [out()], [alice, bob]);
    operator.registerIntent(
      await prove(
        register(['02'.padEnd(66, '1')]),
        [{ coin: registered, leaf: contract.leaves.exitLate }],
        [out()],
        [alice],
      ),
    );
    operator.faults.unroll(keyOf(unrolled));
    operator.faults.expire(keyOf(expired));
    const answers = [];
    for (const each of [elsewhere, spent, registered, unrolled, expired]) {
      coin = each;
      answers.push(await codeOf(claim()));
    }
    clock.advance(604_673);
    coin = swept;
    answers.push(await codeOf(claim()));
    expect(answers.map((answer) => [answer?.code, answer?.grpc])).toEqual([
      [6, 3],
      [6, 3],
      [4, 6],
      [7, 3],
      [8, 3],
      [8, 3],
    ]);
    operator.stop();
  });

  test('when a checkpoint lies about the value or script of its coin, or lacks it', async () => {
    const spend = await claim();
    const lie = (witnessUtxo: { script: Uint8Array; amount: bigint }): BuiltSpend => {
      const checkpoint = parse(text(spend.checkpoints[0] as Transaction));
      checkpoint.updateInput(0, { witnessUtxo });
      return { ...spend, checkpoints: [checkpoint] };
    };
    expect([
      await codeOf(lie({ script: contract.script.pkScript, amount: 9_999n })),
      await codeOf(lie({ script: target.script.pkScript, amount: 10_000n })),
    ]).toMatchObject([
      { code: 5, message: 'INVALID_PSBT_INPUT (5): witness utxo value mismatch: expected 10000, got 9999' },
      { code: 5 },
    ]);
  });

  test('when the taptree is missing, foreign, or does not hold the leaf', async () => {
    const spend = await claim();
    const withTree = (tree: Uint8Array | null, leaf = contract.leaves.claim, of = contract): BuiltSpend => {
      const original = spend.checkpoints[0] as Transaction;
      const checkpoint = new Transaction({ version: 3 });
      checkpoint.addInput({
        txid: coin.txid,
        index: coin.vout,
        witnessUtxo: { script: contract.script.pkScript, amount: 10_000n },
        tapLeafScript: [of.script.findLeaf(hex.encode(leaf))],
      });
      if (tree !== null) setArkPsbtField(checkpoint, 0, VtxoTaprootTree, tree);
      for (let i = 0; i < original.outputsLength; i++)
        checkpoint.addOutput(original.getOutput(i) as { script: Uint8Array; amount: bigint });
      return { ...spend, checkpoints: [checkpoint] };
    };
    const foreign = vhtlc(operator, bob, alice, clock.now() + 1_000);
    expect([
      await codeOf(withTree(null)),
      await codeOf(withTree(foreign.script.encode())),
      await codeOf(withTree(contract.script.encode(), foreign.leaves.late, foreign)),
    ]).toMatchObject([
      { code: 5, message: 'INVALID_PSBT_INPUT (5): missing or invalid taptree' },
      {
        code: 5,
        message:
          `INVALID_PSBT_INPUT (5): expected ${hex.encode(contract.script.pkScript.subarray(2))}, got ` +
          `${hex.encode(foreign.script.pkScript.subarray(2))}`,
      },
      { code: 5 },
    ]);
  });

  test('when the script breaks the rules of the operator', async () => {
    const server = signerOf(operator);
    const multisig = MultisigTapscript.encode({ pubkeys: [bob.xOnly, server] }).script;
    const exit = (type: 'seconds' | 'blocks', value: bigint) =>
      CSVMultisigTapscript.encode({ timelock: { type, value }, pubkeys: [bob.xOnly] }).script;
    const late = (locktime: bigint) =>
      CLTVMultisigTapscript.encode({ absoluteTimelock: locktime, pubkeys: [bob.xOnly, server] }).script;
    const alone = MultisigTapscript.encode({ pubkeys: [bob.xOnly] }).script;
    const answers: ReturnType<typeof refusalOf>[] = [];
    const run = async (leaves: Uint8Array[], settings = {}): Promise<void> => {
      ({ operator, clock } = testOperator({ settings }));
      const script = new VtxoScript(leaves);
      coin = pay(operator, { ...contract, script }, 10_000);
      answers.push(await codeOf(buildSpend(operator, [inputOf(coin, multisig)], [out()], [bob])));
    };
    await run([multisig, exit('blocks', 20n)]);
    await run([multisig, exit('seconds', 512n), late(144n)]);
    await run([multisig, exit('seconds', 512n)], { exitDelay: 1_024 });
    await run([multisig, exit('seconds', 512n), alone]);
    await run([multisig]);
    await run([multisig, exit('blocks', 20n), late(144n)], { exitDelay: 5, checkpointExitDelay: 5 });
    expect(answers).toMatchObject([
      {
        code: 10,
        message: 'INVALID_VTXO_SCRIPT (10): invalid exit closure, CSV block type not allowed',
        metadata: ['tapscripts'],
      },
      { code: 10, message: 'INVALID_VTXO_SCRIPT (10): invalid forfeit closure, CLTV block type not allowed' },
      { code: 10, message: 'INVALID_VTXO_SCRIPT (10): exit delay is too short' },
      { code: 10, message: 'INVALID_VTXO_SCRIPT (10): invalid forfeit closure, signer pubkey not found' },
      { code: 10 },
      null,
    ]);
  });

  test('when it spends by an exit leaf', async () => {
    const spend = await buildSpend(operator, [inputOf(coin, contract.leaves.exitLate)], [out()], [alice]);
    expect(await codeOf(spend)).toMatchObject({
      code: 5,
      message: `INVALID_PSBT_INPUT (5): invalid spending tapscript on input 0: ${hex.encode(contract.leaves.exitLate)}`,
    });
  });

  test('when an input carries no signature, only the wrong one, or too few', async () => {
    expect([
      await codeOf(claim(contract.preimage, [])),
      await codeOf(claim(contract.preimage, [alice]).catch(() => claim(contract.preimage, []))),
      await codeOf(buildSpend(operator, [inputOf(coin, contract.leaves.refund)], [out()], [alice])),
    ]).toMatchObject([
      {
        code: 5,
        message: 'INVALID_PSBT_INPUT (5): missing tapscript spend sig in ark tx input 0',
        metadata: ['input_index', 'txid'],
      },
      { code: 5 },
      { code: 18, metadata: ['tx'] },
    ]);
  });

  test('when a signature is of another transaction', async () => {
    const spend = await claim();
    const forged = parse(text((await claim(contract.preimage, [])).arkTx));
    const entry = spend.arkTx.getInput(0).tapScriptSig?.[0];
    if (entry === undefined) throw new Error('unsigned');
    const wrong = entry[1].slice();
    wrong[40] = (wrong[40] ?? 0) ^ 1;
    forged.updateInput(0, { tapScriptSig: [[entry[0], wrong]] });
    expect(await codeOf({ ...spend, arkTx: forged })).toMatchObject({
      code: 18,
      message: `INVALID_SIGNATURE (18): invalid signature in ark tx ${spend.arkTx.id}`,
    });
  });

  test('when a signature does not cover the whole transaction in the default way', async () => {
    const answers = [];
    for (const sighash of [SigHash.ALL, SigHash.NONE, SigHash.ALL_ANYONECANPAY]) {
      const spend = await claim();
      answers.push((await codeOf({ ...spend, arkTx: signWith(spend.arkTx, bob, sighash) }))?.code);
    }
    expect(answers).toEqual([18, 18, 18]);
  });

  test('when the preimage is missing or wrong', async () => {
    expect([
      await codeOf(buildSpend(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob])),
      await codeOf(claim(new Uint8Array(32).fill(1))),
    ]).toMatchObject([{ code: 18 }, { code: 18 }]);
  });

  test('when an output is too small or too large, or anchors and OP_RETURNs are not as they must be', async () => {
    const spend = await claim();
    const returns = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ script: Uint8Array.of(0x6a, 1, i), amount: 0n }));
    const answers = [
      await codeOf(withOutputs(spend, [out(329), out(9_671), anchor])),
      await codeOf(withOutputs(spend, [out()])),
      await codeOf(withOutputs(spend, [out(), anchor, anchor])),
      await codeOf(withOutputs(spend, [out(), ...returns(4), anchor])),
    ];
    operator.configure({ vtxoMaxAmount: 9_000 });
    answers.push(await codeOf(spend));
    operator.configure({ vtxoMaxAmount: -1, maxTxWeight: 100 });
    answers.push(await codeOf(spend));
    expect(answers).toMatchObject([
      {
        code: 15,
        message: 'AMOUNT_TOO_LOW (15): output #0 amount is lower than min vtxo amount: 330',
        metadata: ['amount', 'min_amount', 'output_index'],
      },
      { code: 13, message: expect.stringMatching(/^MALFORMED_ARK_TX \(13\): missing anchor output in ark tx/) },
      { code: 13, message: expect.stringMatching(/has multiple anchor outputs$/) },
      { code: 13, message: 'MALFORMED_ARK_TX (13): tx has 4 OP_RETURN outputs, max 3 are allowed' },
      { code: 14 },
      { code: 46 },
    ]);
  });

  test('when value appears or vanishes', async () => {
    const spend = await claim();
    expect([
      await codeOf(withOutputs(spend, [out(9_000), anchor])),
      await codeOf(withOutputs(spend, [out(10_001), anchor])),
    ]).toMatchObject([
      {
        code: 0,
        grpc: 13,
        message: 'INTERNAL_ERROR (0): failed to rebuild ark transaction: input amount is not equal to output amount',
      },
      { code: 0, grpc: 13 },
    ]);
  });

  test('when its checkpoint or itself is not what the operator rebuilds', async () => {
    const spend = await claim();
    const foreignUnroll = {
      ...operator,
      info: () => ({
        ...operator.info(),
        checkpointTapscript: hex.encode(
          CSVMultisigTapscript.encode({ timelock: { type: 'seconds', value: 1_024n }, pubkeys: [alice.xOnly] }).script,
        ),
      }),
    };
    const otherCheckpoint = await buildSpend(
      foreignUnroll,
      [inputOf(coin, contract.leaves.claim)],
      [out()],
      [bob],
      contract.preimage,
    );
    const anchorFirst = await withOutputs(spend, [anchor, out()]);
    expect([await codeOf(otherCheckpoint), await codeOf(anchorFirst)]).toMatchObject([
      { code: 16, metadata: ['expected_txid'] },
      { code: 17, metadata: ['expected_txid', 'got_txid'] },
    ]);
  });
});
