import { schnorr } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { Transaction } from '@scure/btc-signer';
import { mnemonicToSeedSync } from '@scure/bip39';
import { HDKey } from '@scure/bip32';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asPreimage, asPublicKey } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { callsHash } from '../../engine/legs/evm/calls-hash.ts';
import type { SwapContracts } from '../../engine/legs/evm/contracts.ts';
import { redeemDigest } from '../../engine/legs/evm/digests.ts';
import { readHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import { hash160OfSha256, sha256Of } from '../../engine/legs/secret.ts';
import { parseTx } from '../../engine/sandbox/world/bitcoin/tx.ts';
import { scriptFault } from '../../engine/sandbox/world/bitcoin/interpreter.ts';

/*
 * What a published client of bitcoin-evm builds and signs, to the byte (facts/clients.md 13, 45, 46; facts/onchain.md
 * 1, 3). The words are `abandon` eleven times and `about`, the swap's index 0; the service's key is 01 32 times over.
 */

const words = `${'abandon '.repeat(11)}about`;
const T = 1_800_000_000;
const seed = HDKey.fromMasterSeed(mnemonicToSeedSync(words));
const swapSecret = seed.derive("m/83696968'/121923'/0'").privateKey!;
const preimage = asPreimage(hex.decode('423bc17c03beddc347b0fb37f49bab47e7929bfe9a4869a52280dd5688850bd8'));
const hash = sha256Of(preimage);

const terms: HtlcTerms = {
  form: 'p2tr',
  hash: hash160OfSha256(hash),
  claimer: publicKeyOf(new Uint8Array(32).fill(1)),
  refunder: publicKeyOf(swapSecret),
  refundLocktime: unix(T),
};
const script = htlcScript(terms);
if (script.form !== 'p2tr') throw new TypeError('asked for Taproot');

describe('the HTLC that a client of bitcoin-evm pays and refunds', () => {
  test('is under the hash of its secret, and refunded by the key of its swap', () => {
    expect([hex.encode(hash), hex.encode(terms.hash), hex.encode(terms.refunder)]).toEqual([
      'f9c3585ad8e0345d1ab9539731fcbd5bee5aabba3b4aa82567983ed9aca173b3',
      '26e4f11708c87f5f94d430f258503c5539917d5e',
      '02fc7ee54d9b381d373dd8911247a42d88fb3ee7521c17cbe638a579c569bfc19b',
    ]);
  });

  test('has their leaves, output and address', () => {
    expect({
      claim: hex.encode(script.claim.script),
      refund: hex.encode(script.refund.script),
      output: hex.encode(script.pkScript),
      address: htlcAddress(terms, 'regtest'),
    }).toEqual({
      claim:
        '201b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078fad82012088a91426e4f11708c87f5f94d430f258503c5539917d5e87',
      refund: '0400d2496bb17520fc7ee54d9b381d373dd8911247a42d88fb3ee7521c17cbe638a579c569bfc19bac',
      output: '51209d7880123e5409e4e995a6e749941e6746681d4d8082980f2954810d3b857b17',
      address: 'bcrt1pn4ugqy372sy7f6v45mn5n9q7varxs82dszpfsref2jqs6wu90vts7ccntz',
    });
  });

  test('a key without its sign is the same key in it: only its x is in the script', () => {
    const odd = asPublicKey(Uint8Array.of(3, ...terms.claimer.slice(1)));
    expect(htlcAddress({ ...terms, claimer: odd }, 'regtest')).toBe(htlcAddress(terms, 'regtest'));
  });

  test('is refunded by the transaction that the client makes', () => {
    const amount = 100_000n;
    const fee = 130n * 2n;
    const tx = new Transaction({ version: 2, lockTime: T });
    tx.addInput({
      txid: 'aa'.repeat(32),
      index: 1,
      sequence: 0xffff_fffe,
      witnessUtxo: { amount, script: script.pkScript },
    });
    tx.addOutputAddress('bcrt1qg975h6gdx5mryeac72h6lj2nzygugxhy5n57q2', amount - fee, {
      bech32: 'bcrt',
      pubKeyHash: 0x6f,
      scriptHash: 0xc4,
      wif: 0xef,
    });
    const sighash = tx.preimageWitnessV1(0, [script.pkScript], 0, [amount], -1, script.refund.script);
    expect([tx.getOutput(0).amount, tx.id, hex.encode(sighash)]).toEqual([
      99_740n,
      '3dc3b17c06ecedd786301772b5eb3dbad00c71d1df062dc1ef056b59dcfcc92a',
      'd65e2d50b2313cbcef34d23fba10664671a4c2ac45d2368b9c6555657e4fe617',
    ]);
    const { script: leaf, controlBlock } = script.refund;
    tx.updateInput(0, { finalScriptWitness: [schnorr.sign(sighash, swapSecret), leaf, controlBlock] }, true);
    const bytes = tx.extract();
    expect(scriptFault(parseTx(bytes), [{ amount: sats(amount), script: script.pkScript }] as never)).toBeNull();
    const coin = { txid: 'aa'.repeat(32), vout: 1 };
    expect(readHtlcSpend(terms, coin, readRawTx(bytes) ?? expect.fail('it is no transaction'))).toEqual({
      by: 'refund',
    });
  });
});

test('the claim that it signs on the EVM chain has their digest, by the key of its wallet', async () => {
  const address = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
  const contracts: SwapContracts = {
    kind: 'erc20',
    htlc: address(0x10),
    coordinator: address(0x20),
    htlcVersion: '4',
    coordinatorVersion: '3',
  };
  const token = asEvmAddress(hex.decode('1bfd67037b42cf73acf2047067bd4f2c47d9bfd6'));
  const lock = {
    preimageHash: hash,
    amount: 99_000n,
    token,
    refundAddress: address(0x30),
    claimAddress: address(0x30),
    timelock: 1_799_956_800n,
  };
  const claim = {
    lock,
    preimage,
    destination: address(0x55),
    sweepToken: token,
    minAmountOut: 99_000n,
    callsHash: callsHash([]),
  };
  const digest = redeemDigest({ chainId: 137, contracts }, claim);
  expect(hex.encode(digest)).toBe('a22b730a6f1924c70e070bf614016f0b4c4e1679b098d94e9969e25a1a566ca1');
  const wallet = privateKeyToAccount(`0x${hex.encode(seed.derive("m/44'/60'/0'/0/0").privateKey!)}`);
  const signature = await wallet.sign({ hash: `0x${hex.encode(digest)}` });
  expect([wallet.address.slice(0, 6), signature.slice(0, 66), signature.slice(-2)]).toEqual([
    '0x9858',
    '0xe69243cd1d7642d8a4f9bae1b0e983ba5d5405155d006141776c0c1d9eaa0165',
    '1c',
  ]);
});
