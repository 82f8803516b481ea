import {
  CLTVMultisigTapscript,
  CSVMultisigTapscript,
  ConditionWitness,
  MultisigTapscript,
  Transaction,
  VtxoScript,
  setArkPsbtField,
} from '@arkade-os/sdk';
import { hex } from '@scure/base';
import {
  type BuiltSpend,
  type Party,
  type TestCoin,
  type TestVhtlc,
  buildSpend,
  inputOf,
  keyOf,
  parse,
  pay,
  prove,
  send,
  signAll,
  signedCheckpoints,
  signerOf,
  text,
  vhtlc,
} from '../support.ts';
import { banned } from './batch.ts';
import { type Bench, claim, claimed, intent, submission, to } from './bench.ts';
import type { Answer } from './compare.ts';
import { type Table, unknownTxid } from './table.ts';

async function submitted(bench: Bench, spend: BuiltSpend | Promise<BuiltSpend>, change: object = {}): Promise<Answer> {
  return bench.post('/v1/tx/submit', { ...submission(await spend), ...change });
}

/** With the headers that the SDK sends once it knows the operator. */
async function digested(bench: Bench, body: object): Promise<Answer> {
  return bench.ask('POST', '/v1/tx/submit', body, {
    'x-digest': bench.operator.info().digest,
    'x-build-version': '0.9.9',
  });
}

const amount = 20_000;

/** A coin of Alice's under one leaf of all keys and others of the test's making. */
function odd({ operator, alice }: Bench, leaves: Partial<TestVhtlc['leaves']>): TestCoin {
  const refund = MultisigTapscript.encode({ pubkeys: [alice.xOnly, signerOf(operator)] }).script;
  const exitLate = CSVMultisigTapscript.encode({
    timelock: { type: 'seconds', value: 512n },
    pubkeys: [alice.xOnly],
  }).script;
  const all = { refund, exitLate, ...leaves };
  const none = new Uint8Array();
  const of: TestVhtlc = {
    script: new VtxoScript(Object.values(all)),
    leaves: { claim: none, late: none, exitClaim: none, exitRefund: none, ...all },
    preimage: none,
  };
  return pay(operator, of, amount);
}

function spendOf(
  bench: Bench,
  coin: TestCoin,
  leaf: Uint8Array = coin.of.leaves.refund,
  signers: readonly Party[] = [bench.alice],
): Promise<BuiltSpend> {
  return buildSpend(bench.operator, [inputOf(coin, leaf)], [to(bench.target, coin.value)], signers);
}

/** The claim with another ark transaction of the same inputs. */
async function rebuilt(
  bench: Bench,
  outputs: readonly { script: Uint8Array; amount: bigint }[],
  version = 3,
): Promise<Answer> {
  const { arkTx, checkpoints } = await claim(bench);
  const other = new Transaction({ version });
  const { txid, index, ...input } = arkTx.getInput(0);
  other.addInput({
    txid: txid ?? '',
    index: index ?? 0,
    sequence: 0xffffffff,
    witnessUtxo: input.witnessUtxo as NonNullable<typeof input.witnessUtxo>,
    tapLeafScript: input.tapLeafScript as NonNullable<typeof input.tapLeafScript>,
  });
  for (const output of outputs) other.addOutput(output);
  setArkPsbtField(other, 0, ConditionWitness, [bench.contract.preimage]);
  return digested(bench, submission({ arkTx: await signAll(other, [bench.bob]), checkpoints }));
}

const anchor = { script: hex.decode('51024e73'), amount: 0n };
const returns = { script: hex.decode('6a0100'), amount: 0n };

/** The claim with its checkpoint in other words. */
async function withCheckpoint(bench: Bench, change: (checkpoint: Transaction) => Transaction): Promise<Answer> {
  const { arkTx, checkpoints } = await claim(bench);
  return digested(bench, {
    signedArkTx: text(arkTx),
    checkpointTxs: checkpoints.map((each) => text(change(parse(text(each))))),
  });
}

export const submit: Table = {
  'accepted, 1 checkpoint (server signature only on the checkpoints)': (bench) => submitted(bench, claim(bench)),
  'HTTP 400: VTXO_RECOVERABLE (8): HEX:0 is recoverable': (bench) => {
    bench.operator.faults.expire(keyOf(bench.coin));
    return submitted(bench, claim(bench));
  },
  'HTTP 400: VTXO_ALREADY_UNROLLED (7): HEX:1 already unrolled': (bench) => {
    bench.operator.faults.unroll(keyOf(bench.coin));
    return submitted(bench, spendOf(bench, bench.change));
  },
  'HTTP 400: VTXO_ALREADY_SPENT (6): HEX:0 already spent': async (bench) => {
    await claimed(bench);
    return submitted(
      bench,
      buildSpend(
        bench.operator,
        [inputOf(bench.coin, bench.contract.leaves.refund)],
        [to(bench.own, amount)],
        [bench.alice, bench.bob],
      ),
    );
  },
  'HTTP 400: INVALID_ARK_PSBT (1): duplicated offchain tx HEX': async (bench) => {
    const spend = await claim(bench);
    send(bench.operator, spend);
    return submitted(bench, spend);
  },
  'HTTP 409: VTXO_ALREADY_REGISTERED (4): HEX:0 already registered': async (bench) => {
    bench.operator.registerIntent(await intent(bench));
    return submitted(bench, claim(bench));
  },
  'HTTP 400: VTXO_BANNED (29): script { …': {
    settings: { stages: { registration: 1, confirmation: 20, finalization: 20 } },
    act: async (bench) => submitted(bench, claim(await banned(bench))),
  },
  'HTTP 400: INVALID_VTXO_SCRIPT (10): invalid exit closure, CSV block type not allowed': (bench) => {
    const exitLate = CSVMultisigTapscript.encode({
      timelock: { type: 'blocks', value: 5n },
      pubkeys: [bench.alice.xOnly],
    }).script;
    return submitted(bench, spendOf(bench, odd(bench, { exitLate })));
  },
  'HTTP 400: INVALID_VTXO_SCRIPT (10): invalid forfeit closure, CLTV block type not allowed': (bench) => {
    const late = CLTVMultisigTapscript.encode({
      absoluteTimelock: 500n,
      pubkeys: [bench.alice.xOnly, signerOf(bench.operator)],
    }).script;
    return submitted(bench, spendOf(bench, odd(bench, { late })));
  },
  'HTTP 400: DIGEST_MISMATCH (49): invalid digest header': async (bench) =>
    bench.ask('POST', '/v1/tx/submit', submission(await claim(bench)), { 'x-digest': 'ab' }),
  'HTTP 400: INVALID_VTXO_SCRIPT (10): exit delay is too short': async (bench) => {
    await bench.admin('settings', { settings: { unilateralExitDelay: '1024', boardingExitDelay: '2048' } });
    return submitted(bench, spendOf(bench, bench.change));
  },
  'HTTP 400: missing signed ark tx': ({ post }) => post('/v1/tx/submit', {}),
  'HTTP 400: INVALID_ARK_PSBT (1): failed to parse tx: unexpected EOF': ({ post }) =>
    post('/v1/tx/submit', { signedArkTx: 'AAAA', checkpointTxs: ['AAAA'] }),
  "HTTP 400: invalid character 'x' looking for beginning of value": ({ post }) => post('/v1/tx/submit', 'xx'),
  'HTTP 400: AMOUNT_TOO_LOW (15): output #0 amount is lower than min vtxo amount: N': (bench) =>
    submitted(
      bench,
      buildSpend(
        bench.operator,
        [inputOf(bench.change, bench.own.leaves.refund)],
        [to(bench.target, 329), to(bench.own, 79_671)],
        [bench.alice],
      ),
    ),
  'accepted, 2 checkpoints (server signature only on the checkpoints)': (bench) => {
    const coins = [bench.change, pay(bench.operator, bench.own, 1_000)];
    return submitted(
      bench,
      buildSpend(
        bench.operator,
        coins.map((coin) => inputOf(coin, bench.own.leaves.refund)),
        [to(bench.target, 81_000)],
        [bench.alice],
      ),
    );
  },
  'HTTP 400: VTXO_ALREADY_UNROLLED (7): HEX:0 already unrolled': (bench) => {
    bench.operator.faults.unroll(keyOf(bench.coin));
    return submitted(bench, claim(bench));
  },
  'HTTP 400: INVALID_SIGNATURE (18): invalid signature in ark tx HEX': (bench) =>
    submitted(bench, claim(bench, bench.coin, new Uint8Array(31).fill(1))),
  'HTTP 400: INVALID_PSBT_INPUT (5): missing tapscript spend sig in ark tx input i': (bench) =>
    submitted(bench, spendOf(bench, bench.change, bench.own.leaves.refund, [])),
  'HTTP 400: FORFEIT_CLOSURE_LOCKED (11): N > N (blocktime)': (bench) =>
    submitted(bench, spendOf(bench, bench.coin, bench.contract.leaves.late)),
  'HTTP 400: INVALID_PSBT_INPUT (5): invalid spending tapscript on input i: HEX': (bench) =>
    submitted(bench, spendOf(bench, bench.coin, bench.contract.leaves.exitClaim, [bench.bob])),
  'HTTP 400: INVALID_PSBT_INPUT (5): witness utxo value mismatch: expected N, got N': async (bench) =>
    digested(bench, submission(await spendOf(bench, { ...bench.change, value: bench.change.value - 1 }))),
  'HTTP 500: INTERNAL_ERROR (0): failed to rebuild ark transaction: input amount is not equal to output amount': (
    bench,
  ) => rebuilt(bench, [to(bench.target, 19_000), anchor]),
  'HTTP 400: missing checkpoint txs': async (bench) =>
    digested(bench, { ...submission(await claim(bench)), checkpointTxs: [] }),
  'HTTP 400: INVALID_PSBT_INPUT (5): duplicated vtxo input HEX:0': async (bench) => {
    const [one, other] = [
      await claim(bench),
      await spendOf(bench, bench.coin, bench.contract.leaves.refund, [bench.alice, bench.bob]),
    ];
    return digested(bench, {
      signedArkTx: text(one.arkTx),
      checkpointTxs: [...one.checkpoints, ...other.checkpoints].map(text),
    });
  },
  'HTTP 500: INTERNAL_ERROR (0): something went wrong': async (bench) => {
    const [one, other] = [await claim(bench), await spendOf(bench, bench.change)];
    return digested(bench, { signedArkTx: text(one.arkTx), checkpointTxs: other.checkpoints.map(text) });
  },
  'HTTP 400: ARK_TX_MISMATCH (17): expected tx HEX, got HEX': (bench) =>
    rebuilt(bench, [to(bench.target, amount), anchor], 2),
  'HTTP 400: MALFORMED_ARK_TX (13): missing anchor output in ark tx HEX': (bench) =>
    rebuilt(bench, [to(bench.target, amount)]),
  'HTTP 400: MALFORMED_ARK_TX (13): tx HEX has multiple anchor outputs': (bench) =>
    rebuilt(bench, [to(bench.target, amount), anchor, anchor]),
  'HTTP 400: MALFORMED_ARK_TX (13): tx has 4 OP_RETURN outputs, max 3 are allowed': (bench) =>
    rebuilt(bench, [to(bench.target, amount), ...Array.from({ length: 4 }, () => returns), anchor]),
  'HTTP 400: INVALID_PSBT_INPUT (5): expected HEX, got HEX': (bench) =>
    withCheckpoint(bench, (checkpoint) => {
      const foreign = vhtlc(bench.operator, bench.bob, bench.alice, bench.clock.now() + 1_000);
      checkpoint.updateInput(
        0,
        { unknown: [[{ type: 222, key: new TextEncoder().encode('taptree') }, foreign.script.encode()]] },
        true,
      );
      return checkpoint;
    }),
  'HTTP 400: CHECKPOINT_MISMATCH (16): invalid checkpoint txs: HEX not found': async (bench) => {
    const { arkTx, checkpoints } = await claim(bench);
    const [first] = checkpoints.map((each) => Transaction.fromPSBT(each.toPSBT()));
    if (first === undefined) throw new Error('the claim has no checkpoint');
    const other = new Transaction({ version: 2 });
    other.addInput(first.getInput(0));
    other.updateInput(0, { unknown: first.getInput(0).unknown ?? [] }, true);
    for (let i = 0; i < first.outputsLength; i++) other.addOutput(first.getOutput(i));
    const moved = new Transaction({ version: 3 });
    const { witnessUtxo, tapLeafScript } = arkTx.getInput(0);
    moved.addInput({
      txid: other.id,
      index: 0,
      witnessUtxo: witnessUtxo as NonNullable<typeof witnessUtxo>,
      tapLeafScript: tapLeafScript as NonNullable<typeof tapLeafScript>,
    });
    for (let i = 0; i < arkTx.outputsLength; i++) moved.addOutput(arkTx.getOutput(i));
    setArkPsbtField(moved, 0, ConditionWitness, [bench.contract.preimage]);
    return digested(bench, submission({ arkTx: await signAll(moved, [bench.bob]), checkpoints: [other] }));
  },
  'HTTP 404: VTXO_NOT_FOUND (30): some vtxos not found': async (bench) =>
    digested(bench, submission(await claim(bench, { ...bench.coin, txid: unknownTxid }))),
};

async function finalize(bench: Bench, body: object): Promise<Answer> {
  return bench.post('/v1/tx/finalize', body);
}

async function finals(
  bench: Bench,
  signers: readonly Party[],
): Promise<{ arkTxid: string; finalCheckpointTxs: string[] }> {
  const { arkTxid, signedCheckpointTxs } = send(bench.operator, await claim(bench));
  return {
    arkTxid,
    finalCheckpointTxs: await signedCheckpoints(signedCheckpointTxs, signers, bench.contract.preimage),
  };
}

export const finalizing: Table = {
  finalized: async (bench) => finalize(bench, await finals(bench, [bench.bob])),
  'HTTP 400: INVALID_SIGNATURE (18): invalid signature in checkpoint tx PSBT': async (bench) =>
    finalize(bench, await finals(bench, [])),
  'HTTP 500: INTERNAL_ERROR (0): failed to finalize offchain tx: not in a valid stage to finalize offchain tx': async (
    bench,
  ) => {
    const body = await finals(bench, [bench.bob]);
    await finalize(bench, body);
    return finalize(bench, body);
  },
  'HTTP 404: TX_NOT_FOUND (19): offchain tx HEX not found': async (bench) =>
    finalize(bench, { ...(await finals(bench, [bench.bob])), arkTxid: unknownTxid }),
};

async function pending(bench: Bench): Promise<Answer> {
  const { coin, contract, alice } = bench;
  return bench.post('/v1/tx/pending', {
    intent: await prove(
      { type: 'get-pending-tx', expire_at: 0 },
      [{ coin, leaf: contract.leaves.exitLate }],
      [],
      [alice],
    ),
  });
}

export const pendingTxs: Table = {
  'one pending transaction': async (bench) => {
    send(bench.operator, await claim(bench));
    return pending(bench);
  },
  'nothing pending': pending,
};
