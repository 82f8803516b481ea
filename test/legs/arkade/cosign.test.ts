import { describe, expect, test } from 'vitest';
import { setArkPsbtField, Transaction, VtxoTaprootTree } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { hex } from '@scure/base';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { checkCollabRefund } from '../../../engine/legs/arkade/cosign.ts';
import { checkDelegateRefund } from '../../../engine/legs/arkade/delegate.ts';
import type { CollabRefund, DelegateRefund } from '../../../engine/legs/arkade/refund-request.ts';
import type { Vtxo } from '../../../engine/legs/arkade/vtxo.ts';
import { tapScript } from '../../../engine/legs/tapscript.ts';
import {
  clientScript,
  coinOf,
  collabRefund,
  cosignerKey,
  delegateRefund,
  dust,
  forfeit,
  forfeitScript,
  intentProof,
  now,
  packCollab,
  poke,
  script,
  secret,
  spend,
  terms,
  unroll,
} from './support.ts';

const one = coinOf(1);
const two = coinOf(2);
const foreign = coinOf(9, { script: clientScript });

function collab(refund: CollabRefund, coins: readonly Vtxo[] = [one, two]): string | null {
  return checkCollabRefund({ terms, coins, refund, unrollScript: unroll.script });
}

function delegated(refund: DelegateRefund, coins: readonly Vtxo[] = [one, two], at = now): string | null {
  return checkDelegateRefund({ terms, coins, refund, forfeitScript, dust, cosigner: cosignerKey, now: at });
}

type Changed = ReturnType<typeof collabRefund>;

function changed(change: (refund: Changed) => void, coins = [one, two]): CollabRefund {
  const refund = collabRefund(coins);
  change(refund);
  return packCollab(refund);
}

function first(refund: Changed): Transaction {
  return refund.checkpoints[0] as Transaction;
}

/** The same transaction with another version, locktime, outputs or inputs: what btc-signer does not let one edit. */
function remade(
  tx: Transaction,
  change: {
    version?: number;
    lockTime?: number;
    output0?: { script: Uint8Array; amount: bigint };
    drop?: 'anchor';
    twice?: boolean;
  },
): Transaction {
  const made = new Transaction({ version: change.version ?? tx.version, lockTime: change.lockTime ?? tx.lockTime });
  for (let i = 0; i < tx.inputsLength; i++) {
    const { unknown: _, tapScriptSig: __, ...input } = tx.getInput(i);
    made.addInput(input);
  }
  if (change.twice) {
    const { unknown: _, tapScriptSig: __, ...input } = tx.getInput(0);
    made.addInput({ ...input, index: 1 });
  }
  for (let i = 0; i < tx.outputsLength; i++) {
    if (change.drop === 'anchor' && i === tx.outputsLength - 1) continue;
    made.addOutput(i === 0 && change.output0 ? change.output0 : tx.getOutput(i));
  }
  for (let i = 0; i < made.inputsLength; i++) made.signIdx(secret.sender, i);
  return made;
}

describe('a collaborative refund', () => {
  test('is cosigned when every input is a live coin of the swap by the refund leaf, signed by the sender', () => {
    expect([collab(packCollab(collabRefund([one, two]))), collab(packCollab(collabRefund([two])))]).toEqual([
      null,
      null,
    ]);
  });

  test('may bring its checkpoints unsigned', () => {
    const signed = collabRefund([one, two]);
    const unsigned = collabRefund([one, two], []);
    expect(collab(packCollab({ arkTx: signed.arkTx, checkpoints: unsigned.checkpoints }))).toBeNull();
  });

  test('of a sender that signs after us may bring no signature at all, and no wrong one', () => {
    const judge = (refund: CollabRefund) =>
      checkCollabRefund({ terms, coins: [one], refund, unrollScript: unroll.script, senderSigns: 'after' });
    const foreigners = collabRefund([one], [secret.receiver]);
    expect([
      judge(packCollab(collabRefund([one], []))),
      judge(packCollab(collabRefund([one]))),
      judge(packCollab({ arkTx: foreigners.arkTx, checkpoints: collabRefund([one], []).checkpoints })),
      judge(packCollab(collabRefund([two], []))),
    ]).toEqual([
      null,
      null,
      'input 0 of the Arkade transaction has no valid signature of the sender',
      'input 0 of checkpoint 0 spends an output that is no coin of this swap',
    ]);
  });

  test('fault 51: is not even read when it is larger than the coins of its swap can make it', () => {
    const coins = Array.from({ length: 30 }, (_, n) => coinOf(n + 1));
    const honest = packCollab(collabRefund([one]));
    const many = packCollab(collabRefund(coins.slice(0, 24)));
    const padded = (bytes: Uint8Array, length: number) => Uint8Array.from([...bytes, ...new Uint8Array(length)]);
    expect([
      collab(many, coins),
      collab({ ...honest, checkpoints: Array.from({ length: 25 }, () => honest.checkpoints[0] as Uint8Array) }, coins),
      collab({ ...honest, arkTx: padded(honest.arkTx, 700_000) }, [one]),
      collab({ ...honest, checkpoints: [padded(honest.checkpoints[0] as Uint8Array, 9_000)] }, [one]),
    ]).toEqual([
      null,
      'it has 25 checkpoint transactions and at most 24 are signed at once: refund the coins in several requests',
      expect.stringMatching(/^the Arkade transaction has 70\d{4} bytes and needs at most 8192$/),
      expect.stringMatching(/^checkpoint 0 has \d{5} bytes and needs at most 4096$/),
    ]);
    expect(honest.arkTx.length).toBeLessThan(4_096);
    expect(Math.max(...many.checkpoints.map(({ length }) => length))).toBeLessThan(2_048);
    expect(many.arkTx.length).toBeLessThan(24 * 2_048);
  });

  const bad: [name: string, refund: () => CollabRefund, says: string, coins?: readonly Vtxo[]][] = [
    [
      'an Arkade transaction that is none',
      () => ({ ...packCollab(collabRefund([one])), arkTx: Uint8Array.of(1, 2) }),
      'not a PSBT',
    ],
    [
      'a checkpoint that is none',
      () => ({ ...packCollab(collabRefund([one])), checkpoints: [Uint8Array.of(1)] }),
      'not a PSBT',
    ],
    ['no checkpoint', () => ({ ...packCollab(collabRefund([one])), checkpoints: [] }), 'at least one checkpoint'],
    [
      'a coin that the indexer does not list',
      () => packCollab(collabRefund([one, two])),
      'no coin of this swap',
      [one],
    ],
    ["a coin of another swap's script", () => packCollab(collabRefund([foreign])), 'no coin of this swap', [foreign]],
    ['a spent coin', () => packCollab(collabRefund([one])), 'spent already', [{ ...one, spent: true }]],
    ['an unrolled coin', () => packCollab(collabRefund([one])), 'left the operator', [{ ...one, unrolled: true }]],
    ['an expired coin', () => packCollab(collabRefund([one])), 'delegate refund', [{ ...one, recoverable: true }]],
    [
      'an amount that the coin does not hold',
      () => packCollab(collabRefund([{ ...one, amount: sats(60_000) }])),
      'says its coin holds',
    ],
    [
      'a coin twice',
      () => changed((refund) => refund.checkpoints.push(first(refund)), [one]),
      'another checkpoint spends already',
    ],
    [
      'the claim leaf',
      () => packCollab(spend(script.leaf.claim, [one], [secret.receiver])),
      'must carry the refund leaf',
    ],
    [
      'the leaf with a locktime',
      () => packCollab(spend(script.leaf['refund-without-receiver'], [one], [secret.sender])),
      'must carry the refund leaf',
    ],
    [
      'a second leaf',
      () =>
        changed(
          (refund) =>
            poke(first(refund), 0, { tapLeafScript: [script.leaf.refund.tapLeaf, script.leaf.claim.tapLeaf] }),
          [one],
        ),
      'no other leaf',
    ],
    [
      'a control block of another tree',
      () =>
        changed(
          (refund) => {
            const [leaf] = tapScript([script.leaf.refund.script]).leaves;
            poke(first(refund), 0, { tapLeafScript: [leaf?.tapLeaf] });
          },
          [one],
        ),
      'must carry the refund leaf',
    ],
    [
      'a control block with another hash on its path',
      () =>
        changed(
          (refund) => {
            const [control, bytes] = script.leaf.refund.tapLeaf;
            const merklePath = control.merklePath.map((hash, i) => (i === 1 ? hash.map((byte) => byte ^ 1) : hash));
            poke(first(refund), 0, { tapLeafScript: [[{ ...control, merklePath }, bytes]] });
          },
          [one],
        ),
      'must carry the refund leaf',
    ],
    [
      "a script tree that is not the coin's",
      () =>
        changed((refund) => setArkPsbtField(first(refund), 0, VtxoTaprootTree, Uint8Array.of(1, 0xc0, 1, 0x51)), [one]),
      'script tree',
    ],
    [
      'another sighash type on a checkpoint',
      () => changed((refund) => poke(first(refund), 0, { sighashType: SigHash.NONE }), [one]),
      'sighash type 0x2',
    ],
    [
      'another sighash type on the Arkade transaction',
      () => changed((refund) => poke(refund.arkTx, 0, { sighashType: SigHash.SINGLE }), [one]),
      'sighash type 0x3',
    ],
    [
      'a checkpoint of another version',
      () => changed((refund) => void (refund.checkpoints[0] = remade(first(refund), { version: 2 })), [one]),
      'not the transaction that this coin',
    ],
    [
      'a checkpoint with a locktime',
      () => changed((refund) => void (refund.checkpoints[0] = remade(first(refund), { lockTime: 5 })), [one]),
      'not the transaction that this coin',
    ],
    [
      'a checkpoint that pays somebody else',
      () =>
        changed(
          (refund) =>
            void (refund.checkpoints[0] = remade(first(refund), {
              output0: { script: clientScript, amount: one.amount },
            })),
          [one],
        ),
      'not the transaction',
    ],
    [
      'a checkpoint with two inputs',
      () => changed((refund) => void (refund.checkpoints[0] = remade(first(refund), { twice: true })), [one]),
      'must have one',
    ],
    [
      'a checkpoint signed by somebody else',
      () =>
        packCollab({
          arkTx: collabRefund([one]).arkTx,
          checkpoints: collabRefund([one], [secret.receiver]).checkpoints,
        }),
      'not a valid one of the sender',
    ],
    [
      'an Arkade transaction without a signature of the sender',
      () => packCollab(collabRefund([one], [])),
      'no valid signature of the sender',
    ],
    [
      'an Arkade transaction signed by somebody else',
      () =>
        packCollab({
          arkTx: collabRefund([one], [secret.receiver]).arkTx,
          checkpoints: collabRefund([one]).checkpoints,
        }),
      'no valid signature of the sender',
    ],
    [
      'an Arkade transaction that spends something else beside',
      () => packCollab({ arkTx: collabRefund([one, two]).arkTx, checkpoints: collabRefund([one]).checkpoints }),
      '2 inputs for 1 checkpoints',
    ],
    [
      'an Arkade transaction over other checkpoints',
      () => packCollab({ arkTx: collabRefund([two]).arkTx, checkpoints: collabRefund([one]).checkpoints }),
      'a checkpoint of its own',
    ],
    [
      'outputs above the inputs',
      () =>
        packCollab(
          spend(script.leaf.refund, [one], [secret.sender], {
            outputs: [{ script: clientScript, amount: one.amount + 1n }],
          }),
        ),
      'out of 50001',
    ],
    ['no output', () => packCollab(spend(script.leaf.refund, [one], [secret.sender], { outputs: [] })), 'pays nobody'],
    [
      'no anchor',
      () => changed((refund) => void (refund.arkTx = remade(refund.arkTx, { drop: 'anchor' })), [one]),
      'end in an anchor',
    ],
    [
      'an Arkade transaction of another version',
      () => changed((refund) => void (refund.arkTx = remade(refund.arkTx, { version: 2 })), [one]),
      'not built as the operator',
    ],
  ];
  test.each(bad)('is refused with %s', (_, refund, says, coins) => {
    expect(collab(refund(), coins)).toMatch(new RegExp(says));
  });

  test('is refused when the unroll script is not the one that the operator published to us', () => {
    expect(
      checkCollabRefund({
        terms,
        coins: [one],
        refund: packCollab(collabRefund([one])),
        unrollScript: script.leaf.refund.script,
      }),
    ).toMatch('not the transaction that this coin');
  });
});

describe('a delegate refund', () => {
  const live = [one, two];
  const expired = { ...one, recoverable: true };

  test('is cosigned for live coins with a forfeit each and for expired ones with or without', () => {
    expect([
      delegated(delegateRefund(live)),
      delegated(delegateRefund([expired]), [expired]),
      delegated({ intentProof: intentProof([expired]), forfeits: [] }, [expired]),
    ]).toEqual([null, null, null]);
  });

  const badProof: [name: string, refund: () => DelegateRefund, says: string, coins?: readonly Vtxo[]][] = [
    ['a proof that is none', () => ({ intentProof: Uint8Array.of(1), forfeits: [] }), 'not a PSBT'],
    ['a coin that the indexer does not list', () => delegateRefund(live), 'no coin of this swap', [one]],
    ["a coin of another swap's script", () => delegateRefund([foreign]), 'no coin of this swap', [foreign]],
    ['a spent coin', () => delegateRefund([one]), 'spent already', [{ ...one, spent: true }]],
    ['an unrolled coin', () => delegateRefund([one]), 'left the operator', [{ ...one, unrolled: true }]],
    ['a coin twice', () => delegateRefund([one, one]), 'input 2 of the intent proof repeats a coin'],
    ['no coin', () => ({ intentProof: withoutCoins(intentProof([one])), forfeits: [] }), 'spends no coin'],
    [
      'an amount that the coin does not hold',
      () => delegateRefund([one], { amount: () => 60_000n }),
      'says its coin holds',
    ],
    [
      'another script in its witness UTXO',
      () => delegateRefund([one], { script: clientScript }),
      'does not commit|another script',
    ],
    [
      'the claim leaf',
      () => delegateRefund([one], { leaf: script.leaf.claim, signer: secret.receiver }),
      'must carry the refund leaf',
    ],
    [
      'leaf 6',
      () => delegateRefund([one], { leaf: script.leaf['unilateral-refund-without-receiver'] }),
      'must carry the refund leaf',
    ],
    [
      "a script tree that is not the coin's",
      () => delegateRefund([one], { tapTree: Uint8Array.of(1, 0xc0, 1, 0x51) }),
      'script tree',
    ],
    ['a sequence that is not final', () => delegateRefund([one], { sequence: 0xffff_fffe }), 'final sequence'],
    ['sighash NONE', () => delegateRefund([one], { sighash: SigHash.NONE }), 'sighash type 0x2'],
    [
      'sighash SINGLE',
      () =>
        delegateRefund([one], {
          sighash: SigHash.SINGLE,
          outputs: [
            { script: clientScript, amount: 1_000n },
            { script: clientScript, amount: 1_000n },
          ],
        }),
      'sighash type 0x3',
    ],
    [
      'sighash ALL with ANYONECANPAY',
      () => delegateRefund([one], { sighash: SigHash.ALL_ANYONECANPAY }),
      'sighash type 0x81',
    ],
    [
      'a signature of somebody else',
      () => delegateRefund([one], { signer: secret.receiver }),
      'no valid signature of the sender',
    ],
    [
      'another message type',
      () => delegateRefund([one], { text: JSON.stringify({ type: 'delete', expire_at: now + 100 }) }),
      'not a register message',
    ],
    [
      'a message with its members in another order',
      () =>
        delegateRefund([one], {
          text: JSON.stringify({
            expire_at: now + 100,
            type: 'register',
            onchain_output_indexes: [],
            valid_at: now,
            cosigners_public_keys: [hex.encode(cosignerKey)],
          }),
        }),
      'not a register message',
    ],
    [
      'an output on the chain',
      () => delegateRefund([one], { message: { onchain_output_indexes: [0] } }),
      'stays on Arkade',
    ],
    [
      'another cosigner',
      () => delegateRefund([one], { message: { cosigners_public_keys: ['02'.repeat(33)] } }),
      'must name one cosigner',
    ],
    [
      'a second cosigner',
      () => delegateRefund([one], { message: { cosigners_public_keys: [hex.encode(cosignerKey), '02'.repeat(33)] } }),
      'must name one cosigner',
    ],
    ['a life of an hour', () => delegateRefund([one], { message: { expire_at: now + 3_600 } }), 'within 600 seconds'],
    ['no end', () => delegateRefund([one], { message: { expire_at: 0 } }), 'must expire after now'],
    ['no beginning', () => delegateRefund([one], { message: { valid_at: 0 } }), 'must be valid now'],
    [
      'a beginning in the future',
      () => delegateRefund([one], { message: { valid_at: now + 300 } }),
      'must be valid now',
    ],
    [
      'outputs above the inputs',
      () => delegateRefund([one], { outputs: [{ script: clientScript, amount: one.amount + 1n }] }),
      'out of 50001',
    ],
    ['no output that pays', () => delegateRefund([one], { outputs: [] }), 'pays nobody'],
    [
      'an input 0 of another message',
      () => ({
        ...delegateRefund([one]),
        intentProof: withMessage(Transaction.fromPSBT(intentProof([one], { message: { expire_at: now + 60 } })), [one]),
      }),
      'does not commit',
    ],
  ];
  test.each(badProof)('is refused with %s', (_, refund, says, coins) => {
    expect(delegated(refund(), coins)).toMatch(new RegExp(says));
  });

  const badForfeits: [name: string, forfeits: () => Uint8Array[], says: string][] = [
    ['none for a live coin', () => [forfeit(one)], 'has no forfeit transaction'],
    ['one twice', () => [forfeit(one), forfeit(one)], 'repeats a coin'],
    ['a coin that is not in the intent', () => [forfeit(one), forfeit(coinOf(3))], 'not in the intent'],
    ['bytes that are none', () => [Uint8Array.of(1), forfeit(two)], 'not a PSBT'],
    ['version 2', () => [forfeit(one, { version: 2 }), forfeit(two)], 'version 3'],
    ['a locktime', () => [forfeit(one, { lockTime: 7 }), forfeit(two)], 'no locktime'],
    ['a sequence that is not final', () => [forfeit(one, { sequence: 0 }), forfeit(two)], 'final sequence'],
    ['two inputs', () => [forfeit(one, { second: two }), forfeit(two)], 'must have one'],
    ['sighash ALL', () => [forfeit(one, { sighash: SigHash.ALL }), forfeit(two)], 'sighash type 0x1'],
    [
      'sighash NONE with ANYONECANPAY',
      () => [forfeit(one, { sighash: SigHash.NONE_ANYONECANPAY }), forfeit(two)],
      'sighash type 0x82',
    ],
    [
      'the claim leaf',
      () => [forfeit(one, { leaf: script.leaf.claim, signer: secret.receiver }), forfeit(two)],
      'must carry the refund leaf',
    ],
    [
      "another address than the operator's",
      () => [forfeit(one, { to: clientScript }), forfeit(two)],
      'forfeit address',
    ],
    ['another amount', () => [forfeit(one, { amount: one.amount }), forfeit(two)], `expected ${one.amount + dust}`],
    ['no anchor', () => [forfeit(one, { anchor: null }), forfeit(two)], 'two outputs'],
    [
      'value in the anchor',
      () => [forfeit(one, { anchor: { script: Uint8Array.of(0x51, 0x02, 0x4e, 0x73), amount: 1n } }), forfeit(two)],
      'anchor output of no value',
    ],
    [
      'a signature of somebody else',
      () => [forfeit(one, { signer: secret.receiver }), forfeit(two)],
      'no valid signature of the sender',
    ],
  ];
  test.each(badForfeits)('is refused with forfeits that have %s', (_, forfeits, says) => {
    expect(delegated({ intentProof: intentProof(live), forfeits: forfeits() })).toMatch(new RegExp(says));
  });

  test('is refused once its message ran out', () => {
    expect(delegated(delegateRefund([one]), [one], unix(now + 121))).toMatch('must expire after now');
  });
});

function withoutCoins(proof: Uint8Array): Uint8Array {
  const tx = Transaction.fromPSBT(proof);
  (tx as unknown as { inputs: unknown[] }).inputs.length = 1;
  return tx.toPSBT();
}

/** Puts the usual message into the global field of a proof that was made for something else. */
function withMessage(tx: Transaction, coins: readonly Vtxo[]): Uint8Array {
  const usual = Transaction.fromPSBT(intentProof(coins));
  (tx as unknown as { global: { unknown: unknown } }).global.unknown = (
    usual as unknown as { global: { unknown: unknown } }
  ).global.unknown;
  return tx.toPSBT();
}
