import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { schnorr } from '@noble/curves/secp256k1.js';
import {
  CLTVMultisigTapscript,
  ConditionCSVMultisigTapscript,
  ConditionMultisigTapscript,
  CSVMultisigTapscript,
  MultisigTapscript,
  VtxoScript,
} from '@arkade-os/sdk';
import { asHash160, asXOnly } from '../../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { seconds, unix } from '../../../engine/domain/time.ts';
import type { VhtlcScript } from '../../../engine/legs/arkade/script.ts';
import { decodeTapTree, delaySequence, tapScript } from '../../../engine/legs/tapscript.ts';
import { hash160, vhtlcLeaves, vhtlcScript, vhtlcScriptOf } from '../../../engine/legs/arkade/script.ts';
import { decodeArkadeAddress, encodeArkadeAddress, outputScript } from '../../../engine/legs/arkade/address.ts';
import type { VhtlcTerms } from '../../../engine/legs/arkade/terms.ts';

// Vector 1: satora-sdk ts-pure-sdk/tests/fixtures/strict-vhtlc-vectors.ts; vector 2: computed with its strict class.
const one = {
  sender: fromHex('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'),
  receiver: fromHex('c6047f9441ed7d6d3045406e95c07cd85a36d01ff9f65f5ff4bbe7c5c3237a49'),
  operator: fromHex('f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9'),
  hash: fromHex('000102030405060708090a0b0c0d0e0f10111213'),
  locktime: 144,
  claimSequence: 21,
  refundSequence: 34,
  refundWithoutReceiverSequence: 55,
};

const two: VhtlcTerms = {
  sender: asXOnly(fromHex('f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9')),
  receiver: asXOnly(fromHex('dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659')),
  operator: asXOnly(fromHex('dd308afec5777e13121fa72b9cc1b7cc0139715309b086c960e18fd969774eb8')),
  hash: asHash160(fromHex('b566a3eecce809896361988823cd2f423fe800e7')),
  refundLocktime: unix(1_800_000_000),
  claimDelay: seconds(512),
  refundDelay: seconds(1024),
  refundWithoutReceiverDelay: seconds(1536),
};

function leaves(script: VhtlcScript): Record<string, string> {
  return Object.fromEntries(vhtlcLeaves.map((name) => [name, toHex(script.leaf[name].script)]));
}

describe('the strict VHTLC', () => {
  test('is the published vector 1, byte for byte', () => {
    const script = vhtlcScriptOf(one);
    expect({ ...leaves(script), pkScript: toHex(script.pkScript) }).toEqual({
      claim:
        '82012088a914000102030405060708090a0b0c0d0e0f10111213876920c6047f9441ed7d6d3045406e95c07cd85a36d01ff9f65f5ff4bbe7c5c3237a49ad20f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9ac',
      refund:
        '2079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ad20c6047f9441ed7d6d3045406e95c07cd85a36d01ff9f65f5ff4bbe7c5c3237a49ad20f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9ac',
      'refund-without-receiver':
        '029000b1752079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ad20f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9ac',
      'unilateral-claim':
        '82012088a914000102030405060708090a0b0c0d0e0f1011121387690115b27520c6047f9441ed7d6d3045406e95c07cd85a36d01ff9f65f5ff4bbe7c5c3237a49ac',
      'unilateral-refund':
        '0122b2752079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ad20c6047f9441ed7d6d3045406e95c07cd85a36d01ff9f65f5ff4bbe7c5c3237a49ac',
      'unilateral-refund-without-receiver':
        '0137b2752079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ac',
      pkScript: '512000978a8c8e84166e7edaa8649d561669c650b4e2900e70b9a7bdc6fb8630e457',
    });
    expect(encodeArkadeAddress({ prefix: 'tark', operator: asXOnly(one.operator), outputKey: script.outputKey })).toBe(
      'tark1qrunpzspjfvvxyzfx38ct7ya2g5m2vwggkpklxdsscqlzyauuqm0jqyh32xgapqkdeld42ryn4tpv6wx2z6w9yqwwzu600wxlwrrpezh7saegv',
    );
  });

  test('facts/clients.md 45: is the VHTLC of evm-arkade that published clients derive', () => {
    const key = (byte: number) => asXOnly(schnorr.getPublicKey(new Uint8Array(32).fill(byte)));
    const operator = key(2);
    const script = vhtlcScript({
      ...two,
      sender: key(1),
      receiver: asXOnly(fromHex('fc7ee54d9b381d373dd8911247a42d88fb3ee7521c17cbe638a579c569bfc19b')),
      operator,
      hash: asHash160(fromHex('26e4f11708c87f5f94d430f258503c5539917d5e')),
    });
    expect([
      toHex(script.pkScript),
      encodeArkadeAddress({ prefix: 'tark', operator, outputKey: script.outputKey }),
    ]).toEqual([
      '5120e56aebc30303f46d5dccaa99212c31a8ae4d11a55b6dec17f5cfb5f04626f4b4',
      'tark1qpx5kmx3xcgr9j5m62htnkgq4fx5tk02mq9vjs3nwnz9rfe9f5rkdet2a0psxql5d4wue25eyykrr29wf5g62kmdastltna47przda95r6ywva',
    ]);
  });

  test('is vector 2 with delays in seconds and a unix locktime, on both address prefixes', () => {
    const script = vhtlcScript(two);
    const { claim, ...rest } = leaves(script);
    expect({
      claim,
      ...rest,
      pkScript: toHex(script.pkScript),
      hash: toHex(hash160(new Uint8Array(32).fill(7))),
    }).toMatchObject({
      claim:
        '82012088a914b566a3eecce809896361988823cd2f423fe800e7876920dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659ad20dd308afec5777e13121fa72b9cc1b7cc0139715309b086c960e18fd969774eb8ac',
      'refund-without-receiver':
        '0400d2496bb17520f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9ad20dd308afec5777e13121fa72b9cc1b7cc0139715309b086c960e18fd969774eb8ac',
      'unilateral-claim':
        '82012088a914b566a3eecce809896361988823cd2f423fe800e7876903010040b27520dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659ac',
      'unilateral-refund':
        '03020040b27520f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9ad20dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659ac',
      'unilateral-refund-without-receiver':
        '03030040b27520f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9ac',
      pkScript: '5120352a696f0ddcb6da1c9f5dc68076bdb9f4bb9bde9399dd5523abe79577f25274',
      hash: 'b566a3eecce809896361988823cd2f423fe800e7',
    });
    expect(
      (['tark', 'ark'] as const).map((prefix) =>
        encodeArkadeAddress({ prefix, operator: two.operator, outputKey: script.outputKey }),
      ),
    ).toEqual([
      'tark1qrwnpzh7c4mhuycjr7njh8xpklxqzwt32vymppkfvrsclktfwa8tsdf2d9hsmh9kmgwf7hwxspmtmw05hwdaayuem42j82l8j4mly5n5hfe6e4',
      'ark1qrwnpzh7c4mhuycjr7njh8xpklxqzwt32vymppkfvrsclktfwa8tsdf2d9hsmh9kmgwf7hwxspmtmw05hwdaayuem42j82l8j4mly5n53mjdqa',
    ]);
  });

  test("agrees with the SDK's encoders, tree, control blocks and taptree field for any terms", () => {
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((seed) => {
      seed[0] = 1; // inside the curve order, never zero
      return asXOnly(schnorr.getPublicKey(seed));
    });
    const delay = fc.integer({ min: 1, max: 65_535 }).map((units) => seconds(units * 512));
    const terms = fc.record({
      sender: key,
      receiver: key,
      operator: key,
      hash: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(asHash160),
      refundLocktime: fc.integer({ min: 500_000_000, max: 4_294_967_294 }).map(unix),
      claimDelay: delay,
      refundDelay: delay,
      refundWithoutReceiverDelay: delay,
    });
    fc.assert(
      fc.property(terms, (t) => {
        const ours = vhtlcScript(t);
        const conditionScript = Uint8Array.from([0x82, 1, 32, 0x88, 0xa9, 20, ...t.hash, 0x87]);
        const timelock = (value: number): { type: 'seconds'; value: bigint } => ({
          type: 'seconds',
          value: BigInt(value),
        });
        const theirs = new VtxoScript([
          ConditionMultisigTapscript.encode({ conditionScript, pubkeys: [t.receiver, t.operator] }).script,
          MultisigTapscript.encode({ pubkeys: [t.sender, t.receiver, t.operator] }).script,
          CLTVMultisigTapscript.encode({ absoluteTimelock: BigInt(t.refundLocktime), pubkeys: [t.sender, t.operator] })
            .script,
          ConditionCSVMultisigTapscript.encode({
            conditionScript,
            timelock: timelock(t.claimDelay),
            pubkeys: [t.receiver],
          }).script,
          CSVMultisigTapscript.encode({ timelock: timelock(t.refundDelay), pubkeys: [t.sender, t.receiver] }).script,
          CSVMultisigTapscript.encode({ timelock: timelock(t.refundWithoutReceiverDelay), pubkeys: [t.sender] }).script,
        ]);
        expect({
          scripts: ours.leaves.map((leaf) => toHex(leaf.script)),
          pkScript: toHex(ours.pkScript),
          tapTree: toHex(ours.tapTree),
          leaves: ours.leaves.map((leaf) => leaf.tapLeaf),
          read: decodeTapTree(theirs.encode())?.map(toHex),
          address: encodeArkadeAddress({ prefix: 'tark', operator: t.operator, outputKey: ours.outputKey }),
        }).toEqual({
          scripts: theirs.scripts.map(toHex),
          pkScript: toHex(theirs.pkScript),
          tapTree: toHex(theirs.encode()),
          leaves: theirs.scripts.map((script) => theirs.findLeaf(toHex(script))),
          read: theirs.scripts.map(toHex),
          address: theirs.address('tark', t.operator).encode(),
        });
      }),
      { numRuns: 25 },
    );
  });

  test('builds the tree of any number of leaves as the SDK does', () => {
    for (let count = 1; count <= 9; count++) {
      const scripts = Array.from({ length: count }, (_, i) => Uint8Array.of(0x51, 0x75, 0x51 + i));
      expect(toHex(tapScript(scripts).pkScript), `${count} leaves`).toBe(toHex(new VtxoScript(scripts).pkScript));
    }
  });

  test('refuses a height as locktime and a delay that BIP 68 cannot say', () => {
    expect(() => vhtlcScript({ ...two, refundLocktime: unix(900_000) })).toThrow('unix seconds');
    for (const delay of [0, 511, 513, 65_536 * 512])
      expect(() => delaySequence(seconds(delay)), String(delay)).toThrow('multiple of 512');
  });

  test('reads an address back and refuses every other text', () => {
    const script = vhtlcScript(two);
    const text = encodeArkadeAddress({ prefix: 'tark', operator: two.operator, outputKey: script.outputKey });
    const read = decodeArkadeAddress(text);
    expect(read).toEqual({ prefix: 'tark', operator: two.operator, outputKey: script.outputKey });
    expect(toHex(outputScript(script.outputKey))).toBe(toHex(script.pkScript));
    expect(
      [`${text.slice(0, -1)}q`, text.replace('tark', 'bark'), 'bcrt1qzcf4pqyxk36wwkth2edjlaqr85m86dyzeg84jx', ''].map(
        decodeArkadeAddress,
      ),
    ).toEqual([null, null, null, null]);
  });
});
