import { expect } from 'vitest';
import { type Funds, anchor, pay, tampered, walletOf } from './bitcoin-support.ts';

/** What a transaction is made for: the tip that judges it, and the newest block's coinbase. */
export interface Moment {
  readonly height: number;
  readonly mtp: number;
  readonly coinbase: Uint8Array;
}

type Maker = (at: Moment, funds: Funds) => Uint8Array;

/** Whose coin the rules are tried on. */
export const alice = walletOf('alice');
const bob = walletOf('bob', 'p2tr');
const eve = walletOf('eve');
const flagged = (fault: string) => `mandatory-script-verify-flag-failed (${fault})`;

/**
 * Each with the transaction that breaks one rule, the sandbox's answer to it, and where they differ a like one that
 * breaks none.
 */
export const rules: [name: string, broken: Maker, expected: [number, unknown], whole?: Maker][] = [
  [
    'bytes that are no transaction',
    () => Uint8Array.of(1, 2, 3),
    [-22, 'TX decode failed. Make sure the tx has at least one input.'],
  ],
  [
    'bytes after the end',
    (_, funds) => Uint8Array.of(...pay({ from: alice, funds: [funds] }), 0),
    [-22, expect.stringContaining('decode failed')],
  ],
  [
    'an input that never existed',
    (_, { amount }) => pay({ from: alice, funds: [{ outpoint: { txid: 'ab'.repeat(32), vout: 0 }, amount }] }),
    [-25, 'bad-txns-inputs-missingorspent'],
  ],
  [
    'an output number that never existed',
    (_, { amount, outpoint }) => pay({ from: alice, funds: [{ outpoint: { ...outpoint, vout: 7 }, amount }] }),
    [-25, 'bad-txns-inputs-missingorspent'],
  ],
  [
    'the same input twice',
    (_, funds) =>
      tampered(
        pay({ from: alice, funds: [funds] }),
        (raw) => (raw.inputs.push(raw.inputs[0]!), raw.witnesses!.push(raw.witnesses![0]!)),
      ),
    [-26, 'bad-txns-inputs-duplicate'],
  ],
  [
    'more out than in',
    (_, { outpoint, amount }) => pay({ from: alice, funds: [{ outpoint, amount: amount + 1n }], fee: 0n }),
    [-26, 'bad-txns-in-belowout, value in (0.01000000) < value out (0.01000001)'],
  ],
  [
    'more out than there is bitcoin',
    (_, funds) =>
      tampered(pay({ from: alice, funds: [funds] }), (raw) => void (raw.outputs[0]!.amount = 2_100_000_000_000_001n)),
    [-26, 'bad-txns-vout-toolarge'],
  ],
  [
    'a signature of someone else',
    (_, funds) => pay({ from: eve, funds: [funds] }),
    [-26, flagged('Script failed an OP_EQUALVERIFY operation')],
  ],
  [
    'an output changed after signing',
    (_, funds) => tampered(pay({ from: alice, funds: [funds] }), (raw) => void (raw.outputs[0]!.amount -= 1n)),
    [-26, flagged('Signature must be zero for failed CHECK(MULTI)SIG operation')],
  ],
  [
    'no witness',
    (_, funds) =>
      tampered(
        pay({ from: alice, funds: [funds] }),
        (raw) => ((raw.witnesses = undefined), void (raw.segwitFlag = false)),
      ),
    [-26, flagged('Witness program hash mismatch')],
  ],
  [
    'a fee of one sat less than the floor',
    (_, funds) => pay({ from: alice, funds: [funds], fee: 109n }),
    [-26, 'min relay fee not met, 109 < 110'],
    (_, funds) => pay({ from: alice, funds: [funds], fee: 110n }),
  ],
  [
    'dust to a witness key hash',
    (_, funds) => pay({ from: alice, funds: [funds], to: [{ script: alice.script, amount: 293n }] }),
    [-26, 'dust, tx with dust output must be 0-fee'],
    (_, funds) => pay({ from: alice, funds: [funds], to: [{ script: alice.script, amount: 294n }] }),
  ],
  [
    'dust to a taproot key',
    (_, funds) => pay({ from: alice, funds: [funds], to: [{ script: bob.script, amount: 329n }] }),
    [-26, expect.stringMatching(/^dust/)],
    (_, funds) => pay({ from: alice, funds: [funds], to: [{ script: bob.script, amount: 330n }] }),
  ],
  [
    'an anchor of nothing beside a fee',
    (_, funds) => pay({ from: alice, funds: [funds], to: [{ script: bob.script, amount: 999_000n }, anchor] }),
    [-26, expect.stringMatching(/^dust/)],
    (_, funds) =>
      pay({
        from: alice,
        funds: [funds],
        to: [
          { script: bob.script, amount: 999_000n },
          { ...anchor, amount: 240n },
        ],
      }),
  ],
  [
    'an output script that is no standard',
    (_, funds) => pay({ from: alice, funds: [funds], to: [{ script: Uint8Array.of(0x51), amount: 10_000n }] }),
    [-26, 'scriptpubkey'],
  ],
  [
    'two notes in one transaction',
    (_, funds) =>
      pay({ from: alice, funds: [funds], to: [1, 2].map(() => ({ script: Uint8Array.of(0x6a, 1, 7), amount: 0n })) }),
    [-26, 'multi-op-return'],
  ],
  [
    'a note of 81 bytes',
    (_, funds) =>
      pay({
        from: alice,
        funds: [funds],
        to: [{ script: Uint8Array.of(0x6a, 0x4c, 81, ...new Uint8Array(81)), amount: 0n }],
      }),
    [-26, 'datacarrier'],
    (_, funds) =>
      pay({
        from: alice,
        funds: [funds],
        to: [{ script: Uint8Array.of(0x6a, 0x4c, 80, ...new Uint8Array(80)), amount: 0n }],
      }),
  ],
  [
    'an input script where a witness belongs',
    (_, funds) =>
      tampered(
        pay({ from: alice, funds: [funds] }),
        (raw) => void (raw.inputs[0]!.finalScriptSig = Uint8Array.of(0x51)),
      ),
    [-26, flagged('Witness requires empty scriptSig')],
  ],
  [
    'an input script that does more than push',
    (_, funds) =>
      tampered(
        pay({ from: alice, funds: [funds] }),
        (raw) => void (raw.inputs[0]!.finalScriptSig = Uint8Array.of(0x51, 0x76)),
      ),
    [-26, 'scriptsig-not-pushonly'],
  ],
  [
    'a push without its bytes',
    (_, funds) =>
      tampered(
        pay({ from: alice, funds: [funds] }),
        (raw) => void (raw.inputs[0]!.finalScriptSig = Uint8Array.of(0x4c, 5)),
      ),
    [-26, 'scriptsig-not-pushonly'],
  ],
  [
    'an input script of 1651 bytes',
    (_, funds) =>
      tampered(
        pay({ from: alice, funds: [funds] }),
        (raw) => void (raw.inputs[0]!.finalScriptSig = new Uint8Array(1_651)),
      ),
    [-26, 'scriptsig-size'],
  ],
  [
    'a tenth of a block',
    (_, funds) =>
      pay({
        from: alice,
        funds: [funds],
        to: Array.from({ length: 3_300 }, () => ({ script: alice.script, amount: 1n })),
      }),
    [-26, 'tx-size'],
  ],
  [
    'hardly any bytes',
    (_, funds) =>
      tampered(
        pay({ from: alice, funds: [funds], to: [{ script: Uint8Array.of(0x6a), amount: 0n }] }),
        (raw) => ((raw.witnesses = undefined), void (raw.segwitFlag = false)),
      ),
    [-26, 'tx-size-small'],
  ],
  [
    'sums above all bitcoin',
    (_, funds) =>
      tampered(
        pay({ from: alice, funds: [funds], to: [1, 2].map(() => ({ script: alice.script, amount: 1_000n })) }),
        (raw) => raw.outputs.forEach((output) => void (output.amount = 1_100_000_000_000_000n)),
      ),
    [-26, 'bad-txns-txouttotal-toolarge'],
  ],
  ['a coinbase', (at) => at.coinbase, [-26, 'coinbase']],
  [
    'version 4',
    (_, funds) => tampered(pay({ from: alice, funds: [funds] }), (raw) => void (raw.version = 4)),
    [-26, 'version'],
    (_, funds) => pay({ from: alice, funds: [funds], version: 3 }),
  ],
  [
    'a locktime one block ahead',
    (at, funds) => pay({ from: alice, funds: [funds], locktime: at.height + 1 }),
    [-26, 'non-final'],
    (at, funds) => pay({ from: alice, funds: [funds], locktime: at.height }),
  ],
  [
    'a locktime at the median time',
    (at, funds) => pay({ from: alice, funds: [funds], locktime: at.mtp }),
    [-26, 'non-final'],
    (at, funds) => pay({ from: alice, funds: [funds], locktime: at.mtp - 1 }),
  ],
  [
    'a sequence one block ahead',
    (_, funds) => pay({ from: alice, funds: [funds], sequence: 2 }),
    [-26, 'non-BIP68-final'],
    (_, funds) => pay({ from: alice, funds: [funds], sequence: 1 }),
  ],
  [
    'a sequence of 512 seconds that are not over',
    (_, funds) => pay({ from: alice, funds: [funds], sequence: 0x400001 }),
    [-26, 'non-BIP68-final'],
    (_, funds) => pay({ from: alice, funds: [funds], sequence: 0x400000 }),
  ],
];
