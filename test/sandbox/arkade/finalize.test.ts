import { beforeEach, describe, expect, test } from 'vitest';
import { hex } from '@scure/base';
import { ConditionWitness, getArkPsbtFields } from '@arkade-os/sdk';
import { sats } from '../../../engine/domain/money.ts';
import type { Journal } from '../../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { type Operator, createOperator } from '../../../engine/sandbox/world/arkade/operator.ts';
import type { SubmitReply } from '../../../engine/sandbox/world/arkade/submit.ts';
import type { ScriptEvent } from '../../../engine/sandbox/world/arkade/subscriptions.ts';
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
  prove,
  refusalOf,
  send,
  signedCheckpoints,
  signerOf,
  testOperator,
  text,
} from './support.ts';

let operator: Operator;
let clock: TestClock;
let journal: Journal;
let alice: Party;
let bob: Party;
let contract: TestVhtlc;
let coin: TestCoin;
let target: TestVhtlc;
let spend: BuiltSpend;
let reply: SubmitReply;
let finals: string[];

beforeEach(async () => {
  ({ operator, clock, journal, alice, bob, contract, coin, target } = await openContract());
  spend = await buildSpend(
    operator,
    [inputOf(coin, contract.leaves.claim)],
    [{ script: target.script.pkScript, amount: 10_000n }],
    [bob],
    contract.preimage,
  );
  reply = send(operator, spend);
  finals = await signedCheckpoints(reply.signedCheckpointTxs, [bob], contract.preimage);
});

const stuck = {
  code: 0,
  grpc: 13,
  message: 'INTERNAL_ERROR (0): failed to finalize offchain tx: not in a valid stage to finalize offchain tx',
  metadata: ['final_checkpoint_txs'],
};

function finish(checkpoints = finals): ReturnType<typeof refusalOf> {
  return refusalOf(() => operator.finalize(reply.arkTxid, checkpoints));
}

async function pendingOf(by: Party, leaf: Uint8Array): Promise<string[]> {
  const intent = await prove({ type: 'get-pending-tx', expire_at: 0 }, [{ coin, leaf }], [], [by]);
  return operator.pending(intent).map(({ arkTxid }) => arkTxid);
}

describe('finalize', () => {
  test('makes the outputs, tells those who watch either script, and serves the witness', () => {
    const events: ScriptEvent[] = [];
    const scripts = [contract, target].map(({ script }) => hex.encode(script.pkScript));
    operator.attach(operator.subscribe(scripts), { event: (event) => events.push(event), end: () => undefined });
    expect(finish()).toBeNull();
    const [tx = ''] = operator.indexer.virtualTxs([reply.arkTxid]);
    const [source] = operator.indexer.coins({ outpoints: [keyOf(coin)] });
    expect({
      created: operator.indexer.coins({ scripts: [hex.encode(target.script.pkScript)] }),
      event: events.map(({ txid, newVtxos, spentVtxos, checkpointTxs }) => [
        txid,
        newVtxos.length,
        spentVtxos[0]?.spent,
        Object.keys(checkpointTxs),
      ]),
      witness: getArkPsbtFields(parse(tx), 0, ConditionWitness),
      checkpoint: operator.indexer.virtualTxs([source?.spentBy ?? '']).map((psbt) => parse(psbt).id),
      chain: operator.indexer.chain(reply.arkTxid, 0).map(({ type }) => type.slice(24)),
    }).toEqual({
      created: [
        expect.objectContaining({
          txid: reply.arkTxid,
          vout: 0,
          amount: 10_000n,
          preconfirmed: true,
          expiresAt: source?.expiresAt,
          depth: 1,
          commitmentTxids: source?.commitmentTxids,
        }),
      ],
      event: [[reply.arkTxid, 1, true, [keyOf(coin)]]],
      witness: [[contract.preimage]],
      checkpoint: [spend.checkpoints[0]?.id],
      chain: ['ARK', 'CHECKPOINT', 'TREE', 'COMMITMENT'],
    });
  });

  test('answers 500 from the second time on, and 404 for a transaction it never saw', () => {
    finish();
    expect([finish(), refusalOf(() => operator.finalize('ab'.repeat(32), finals))]).toMatchObject([
      stuck,
      { code: 19, grpc: 5, metadata: ['txid'] },
    ]);
  });

  test.each([
    ['unsigned', (): string[] => [...reply.signedCheckpointTxs], 18],
    ['without the preimage', () => signedCheckpoints(reply.signedCheckpointTxs, [bob]), 18],
    ['with a wrong preimage', () => signedCheckpoints(reply.signedCheckpointTxs, [bob], new Uint8Array(32)), 18],
    ['missing', (): string[] => [], 16],
    [
      "without the operator's signature",
      () => signedCheckpoints(spend.checkpoints.map(text), [bob], contract.preimage),
      18,
    ],
  ])('with a checkpoint %s strands the coin for good', async (_, checkpoints, code) => {
    const first = finish(await checkpoints());
    const other = await buildSpend(
      operator,
      [inputOf(coin, contract.leaves.refund)],
      [{ script: target.script.pkScript, amount: 10_000n }],
      [alice, bob],
    );
    expect({
      first: first?.code,
      right: finish(),
      other: refusalOf(() => send(operator, other))?.code,
      same: refusalOf(() => send(operator, spend))?.code,
      outputs: operator.indexer.coins({ scripts: [hex.encode(target.script.pkScript)] }),
      pending: await pendingOf(alice, contract.leaves.exitLate),
    }).toEqual({ first: code, right: stuck, other: 6, same: 1, outputs: [], pending: [reply.arkTxid] });
  });

  test('with a signature of another checkpoint is refused', async () => {
    const [first = ''] = finals;
    const forged = parse(first);
    const own = signerOf(operator);
    const entries = forged.getInput(0).tapScriptSig ?? [];
    const changed = entries.map(([id, signature]): [typeof id, Uint8Array] => {
      if (hex.encode(id.pubKey) === hex.encode(own)) return [id, signature];
      const wrong = signature.slice();
      wrong[0] = (wrong[0] ?? 0) ^ 1;
      return [id, wrong];
    });
    replaceSignatures(forged, 0, changed);
    expect(finish([text(forged)])).toMatchObject({ code: 18, metadata: ['tx'] });
  });

  test('is refused when the coin was unrolled meanwhile', () => {
    operator.faults.unroll(keyOf(coin));
    expect(finish()).toMatchObject({ code: 7 });
  });

  test('of a request that is no PSBT changes nothing', () => {
    expect([finish(['AAAA'])?.code, finish()]).toEqual([1, null]);
  });

  test('is asked of the same operator after a restart: same keys, same settings, same coins', () => {
    const first = createOperator({ clock, journal: memoryJournal() });
    const journal = memoryJournal();
    const before = createOperator({ clock, journal: journal });
    before.configure({ dust: 400 });
    before.configure({ banDuration: 10 });
    const paid = before.faucet(target.script.address('tark', signerOf(before)).encode(), sats(5_000));
    const again = createOperator({ clock, journal: journal });
    expect({
      info: again.info(),
      coins: again.indexer.coins({ outpoints: [`${paid.txid}:${paid.vout}`] }),
      another: first.info().signerPubkey === again.info().signerPubkey,
    }).toEqual({
      info: before.info(),
      coins: before.indexer.coins({ outpoints: [`${paid.txid}:${paid.vout}`] }),
      another: false,
    });
    expect(again.info()).toMatchObject({ dust: '400' });
  });

  test('works after a restart, from the kept reply or from the pending list', async () => {
    operator.stop();
    ({ operator } = testOperator({ journal }));
    const pending = await pendingOf(bob, contract.leaves.refund).catch(() => []);
    const byReceiver = await prove(
      { type: 'get-pending-tx', expire_at: 0 },
      [{ coin, leaf: contract.leaves.claim, witness: contract.preimage }],
      [],
      [bob],
    );
    const [waiting] = operator.pending(byReceiver);
    expect({
      pending,
      found: waiting?.arkTxid,
      finish: finish(await signedCheckpoints(waiting?.signedCheckpointTxs ?? [], [bob], contract.preimage)),
    }).toEqual({
      pending: [],
      found: reply.arkTxid,
      finish: null,
    });
    expect(operator.pending(byReceiver)).toEqual([]);
    operator.stop();
    ({ operator } = testOperator({ journal }));
    expect(operator.indexer.coins({ outpoints: [`${reply.arkTxid}:0`] })).toMatchObject([
      { amount: 10_000n, spent: false },
    ]);
  });
});
