import { describe, expect, test } from 'vitest';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { CSVMultisigTapscript } from '@arkade-os/sdk';
import { asPublicKey, xOnlyOf } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { type OperatorClaims, checkOperator, readUnrollScript } from '../../../engine/legs/arkade/operator.ts';
import { secret } from './support.ts';

const forfeitKey = asPublicKey(secp256k1.getPublicKey(secret.operator, true));
const strangerKey = asPublicKey(secp256k1.getPublicKey(secret.stranger, true));

function unrollAfter(value: bigint, type: 'seconds' | 'blocks' = 'seconds', keys = [forfeitKey]): Uint8Array {
  return CSVMultisigTapscript.encode({ timelock: { type, value }, pubkeys: keys.map(xOnlyOf) }).script;
}

const good: OperatorClaims = {
  network: 'bitcoin',
  forfeitKey,
  checkpointTapscript: unrollAfter(86_528n),
  exitDelay: 86_528,
  dust: sats(330),
};

describe('an operator', () => {
  test('is believed within the bounds of its network', () => {
    expect([
      checkOperator(good, 'mainnet'),
      checkOperator({ ...good, network: 'signet', checkpointTapscript: unrollAfter(86_016n) }, 'signet'),
      checkOperator(
        { ...good, network: 'regtest', checkpointTapscript: unrollAfter(5n, 'blocks'), exitDelay: 5 },
        'regtest',
      ),
    ]).toEqual([null, null, null]);
  });

  test('of any network but this very one is refused, whatever may be alike about the two', () => {
    const names = [
      'bitcoin',
      'mainnet',
      'signet',
      'mutinynet',
      'testnet',
      'testnet3',
      'testnet4',
      'regtest',
      'simnet',
      'Bitcoin',
      '',
    ];
    const passing = (['mainnet', 'signet', 'mutinynet', 'regtest'] as const).map((network) =>
      names.filter((name) => checkOperator({ ...good, network: name }, network) === null),
    );
    expect(passing).toEqual([['bitcoin'], ['signet'], ['mutinynet'], ['regtest']]);
  });

  test.each([
    ['another network', { network: 'regtest' }, 'is on regtest, this node is on mainnet'],
    ['a network nobody knows', { network: 'simnet' }, 'is on simnet, this node is on mainnet'],
    ['a checkpoint script that sweeps at once', { checkpointTapscript: unrollAfter(512n) }, 'at least 86400 seconds'],
    ['a checkpoint delay in blocks', { checkpointTapscript: unrollAfter(144n, 'blocks') }, '144 blocks'],
    [
      'a checkpoint key that is not its forfeit key',
      { checkpointTapscript: unrollAfter(86_528n, 'seconds', [strangerKey]) },
      'another key',
    ],
    [
      'two checkpoint keys',
      { checkpointTapscript: unrollAfter(86_528n, 'seconds', [forfeitKey, strangerKey]) },
      'not one key',
    ],
    [
      'a checkpoint script without a delay',
      { checkpointTapscript: Uint8Array.from([0x20, ...xOnlyOf(forfeitKey), 0xac]) },
      'not one key',
    ],
    ['a checkpoint script of garbage', { checkpointTapscript: Uint8Array.of(0x4c, 0xff) }, 'not one key'],
    ['an exit delay that BIP 68 cannot say', { exitDelay: 86_400 }, 'BIP 68'],
    ['an exit delay whose triple no script can say', { exitDelay: 11_184_640 + 512 }, 'three times'],
    ['an exit delay in blocks', { exitDelay: 144 }, '144 blocks'],
    ['a dust limit that swallows swaps', { dust: sats(100_000) }, 'dust'],
    ['no dust limit', { dust: sats(0) }, 'dust'],
  ] as const)('is refused with %s', (_, changes, says) => {
    expect(checkOperator({ ...good, ...changes }, 'mainnet')).toContain(says);
  });

  test('of the recordings (arkd v0.9.15, regtest) is read as it is', () => {
    const script = fromHex('03010040b27520f2f246e77ab650c863198b4959827bb473c9b2f31694297b9c710ee23c20d8edac');
    expect(readUnrollScript(script)).toEqual({
      delay: 512,
      inSeconds: true,
      key: fromHex('f2f246e77ab650c863198b4959827bb473c9b2f31694297b9c710ee23c20d8ed'),
    });
    expect(
      checkOperator(
        {
          network: 'regtest',
          forfeitKey: asPublicKey(fromHex('02f2f246e77ab650c863198b4959827bb473c9b2f31694297b9c710ee23c20d8ed')),
          checkpointTapscript: script,
          exitDelay: 512,
          dust: sats(330),
        },
        'regtest',
      ),
    ).toBeNull();
  });
});
