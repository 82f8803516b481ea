import { buildOffchainTx, CSVMultisigTapscript } from '@arkade-os/sdk';
import { Script } from '@scure/btc-signer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offchainTx, type OffchainInput } from '../../../engine/adapters/arkade/offchain-tx.ts';
import { seconds } from '../../../engine/domain/time.ts';
import { vhtlcLeaves, vhtlcScriptOf, type VhtlcLeaf } from '../../../engine/legs/arkade/script.ts';
import { xOnlyKeyOf } from '../../../engine/legs/secp256k1.ts';
import { delaySequence, tapScript } from '../../../engine/legs/tapscript.ts';

const key = (n: number): Uint8Array => xOnlyKeyOf(new Uint8Array(32).fill(n));
const unroll = CSVMultisigTapscript.encode({ timelock: { type: 'seconds', value: 1_024n }, pubkeys: [key(9)] });
const to = tapScript([Script.encode([key(8), 'CHECKSIG'])]).pkScript;

/** A coin of a VHTLC, or with null for its leaf one of a wallet. */
interface Coin {
  readonly id: string;
  readonly vout: number;
  readonly amount: bigint;
  readonly leaf: VhtlcLeaf | null;
  readonly hash: Uint8Array;
  readonly locktime: number;
}

const delays = { claim: 512, refund: 1_024, refundWithoutReceiver: 2_048 };

function inputOf({ id, vout, amount, leaf, hash, locktime }: Coin): OffchainInput {
  const coin = { outpoint: { txid: id, vout }, amount };
  if (leaf === null) {
    const wallet = tapScript([
      Script.encode([key(1), 'CHECKSIGVERIFY', key(3), 'CHECKSIG']),
      Script.encode([delaySequence(seconds(512)), 'CHECKSEQUENCEVERIFY', 'DROP', key(1), 'CHECKSIG']),
    ]);
    const [spend] = wallet.leaves;
    if (spend === undefined) throw new Error('a wallet has leaves');
    return { coin, script: wallet.pkScript, leaf: spend, tapTree: wallet.tapTree };
  }
  const script = vhtlcScriptOf({
    sender: key(1),
    receiver: key(2),
    operator: key(3),
    hash,
    locktime,
    claimSequence: delaySequence(seconds(delays.claim)),
    refundSequence: delaySequence(seconds(delays.refund)),
    refundWithoutReceiverSequence: delaySequence(seconds(delays.refundWithoutReceiver)),
  });
  return { coin, script: script.pkScript, leaf: script.leaf[leaf], tapTree: script.tapTree };
}

function bySdk(inputs: readonly OffchainInput[], outputs: readonly { script: Uint8Array; amount: bigint }[]) {
  return buildOffchainTx(
    inputs.map(({ coin, leaf, tapTree }) => ({
      ...coin.outpoint,
      value: Number(coin.amount),
      tapLeafScript: leaf.tapLeaf,
      tapTree,
    })),
    outputs.map((output) => ({ ...output })),
    unroll,
  );
}

const collaborative = vhtlcLeaves.slice(0, 3);
const coins = fc.record({
  id: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  vout: fc.nat({ max: 300 }),
  amount: fc.bigInt({ min: 330n, max: 2_100_000_000_000_000n }),
  leaf: fc.constantFrom<VhtlcLeaf | null>(null, ...collaborative),
  hash: fc.uint8Array({ minLength: 20, maxLength: 20 }),
  locktime: fc.integer({ min: 500_000_000, max: 4_294_967_294 }),
});

test('what we build is what the SDK builds, byte for byte, for any coins, leaves and outputs', () => {
  fc.assert(
    fc.property(fc.array(coins, { minLength: 1, maxLength: 4 }), fc.nat({ max: 2 }), (spent, change) => {
      const inputs = spent.map(inputOf);
      const outputs = Array.from({ length: change + 1 }, (_, i) => ({ script: to, amount: 330n + BigInt(i) }));
      const [ours, theirs] = [offchainTx(inputs, outputs, unroll.script), bySdk(inputs, outputs)];
      expect(ours.arkTx.toPSBT()).toEqual(theirs.arkTx.toPSBT());
      expect(ours.checkpoints.map((tx) => tx.toPSBT())).toEqual(theirs.checkpoints.map((tx) => tx.toPSBT()));
    }),
    { numRuns: 60 },
  );
});

const coin: Coin = {
  id: 'ab'.repeat(32),
  vout: 0,
  amount: 5_000n,
  leaf: 'refund-without-receiver',
  hash: new Uint8Array(20),
  locktime: 1_800_000_000,
};

test('what the SDK refuses to build we do not build either', () => {
  const data = (text: string) => ({ script: Script.encode(['RETURN', Buffer.from(text)]), amount: 0n });
  const cases = [
    { coins: [coin], outputs: [data('a'), data('b'), data('c')] },
    { coins: [coin], outputs: [data('ARK1'), data('ARK2')] },
    { coins: [coin, { ...coin, vout: 1, locktime: 900_000 }], outputs: [{ script: to, amount: 10_000n }] },
  ];
  for (const { coins: spent, outputs } of cases) {
    const inputs = spent.map(inputOf);
    expect(() => bySdk(inputs, outputs)).toThrow();
    expect(() => offchainTx(inputs, outputs, unroll.script)).toThrow(RangeError);
  }
});

test('a spend costs a fraction of what it costs by the SDK', () => {
  const many = Array.from({ length: 60 }, (_, i) => inputOf({ ...coin, leaf: 'claim', vout: i }));
  const processorOf = (build: (inputs: readonly OffchainInput[]) => unknown): number => {
    const begun = process.cpuUsage();
    for (const input of many) build([input]);
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  const outputs = [{ script: to, amount: 5_000n }];
  const ours = (inputs: readonly OffchainInput[]) => offchainTx(inputs, outputs, unroll.script);
  const sdk = (inputs: readonly OffchainInput[]) => bySdk(inputs, outputs);
  // Whatever else the machine does adds to it: the least of several counts.
  const least = (build: (inputs: readonly OffchainInput[]) => unknown): number =>
    Math.min(...Array.from({ length: 4 }, () => processorOf(build)));
  expect(least(ours) * 2).toBeLessThan(least(sdk));
});
