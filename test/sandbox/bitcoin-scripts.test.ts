import { createHash } from 'node:crypto';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { OutScript, Script, SigHash, Transaction, p2tr, p2wsh } from '@scure/btc-signer';
import { expect, test } from 'vitest';
import type { BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { type Funds, type Wallet, fund, network, openChain, pay, tampered, walletOf } from './bitcoin-support.ts';

const client = walletOf('client');
const server = walletOf('server');
const preimage = new Uint8Array(createHash('sha256').update('secret').digest());
const hash160 = new Uint8Array(createHash('ripemd160').update(createHash('sha256').update(preimage).digest()).digest());

interface Spend {
  readonly script: Uint8Array;
  readonly funds: Funds;
  readonly locktime?: number;
  readonly sequence?: number;
}

function unsigned({ script, funds: { outpoint, amount }, locktime = 0, sequence = 0xfffffffd }: Spend): Transaction {
  const tx = new Transaction({ version: 2, lockTime: locktime, allowUnknownOutputs: true });
  tx.addInput({ txid: outpoint.txid, index: outpoint.vout, sequence, witnessUtxo: { script, amount } });
  tx.addOutput({ script: server.script, amount: amount - 1_000n });
  return tx;
}

function ecdsa(tx: Transaction, inner: Uint8Array, amount: bigint, secret: Uint8Array): Uint8Array {
  const signature = secp256k1.sign(tx.preimageWitnessV0(0, inner, SigHash.ALL, amount), secret, {
    prehash: false,
    format: 'der',
  });
  return Uint8Array.of(...signature, SigHash.ALL);
}

function schnorrLeaf(
  tx: Transaction,
  script: Uint8Array,
  amount: bigint,
  leaf: Uint8Array,
  secret: Uint8Array,
): Uint8Array {
  return schnorr.sign(tx.preimageWitnessV1(0, [script], SigHash.DEFAULT, [amount], -1, leaf), secret);
}

/** The transaction with the witness that a test chose. */
function withWitness(tx: Transaction, witness: Uint8Array[]): Uint8Array {
  tx.updateInput(0, { finalScriptWitness: witness }, true);
  return tx.extract();
}

function answer(chain: BitcoinWorld, bytes: Uint8Array): string {
  try {
    chain.submit(bytes);
    return 'accepted';
  } catch (error) {
    return (error as Error).message.replace('mandatory-script-verify-flag-failed ', '');
  }
}

test('a hash lock is claimed with the preimage, refunded at the locktime, and never otherwise', () => {
  const chain = openChain();
  const locktime = chain.tip().height + 5;
  const inner = Script.encode([
    'IF',
    'HASH160',
    hash160,
    'EQUALVERIFY',
    server.key,
    'ELSE',
    locktime,
    'CHECKLOCKTIMEVERIFY',
    'DROP',
    client.key,
    'ENDIF',
    'CHECKSIG',
  ]);
  const { script } = p2wsh({ type: 'unknown', script: inner }, network);
  const funds = fund(chain, script, 1_000_000n);
  const sign = (tx: Transaction, { secret }: Wallet) => ecdsa(tx, inner, funds.amount, secret);
  const claim = (change: (witness: Uint8Array[]) => Uint8Array[] = (witness) => witness) => {
    const tx = unsigned({ script, funds });
    return withWitness(tx, change([sign(tx, server), preimage, Uint8Array.of(1), inner]));
  };
  const refund = (at: number, sequence = 0xfffffffd) => {
    const tx = unsigned({ script, funds, locktime: at, sequence });
    return withWitness(tx, [sign(tx, client), new Uint8Array(), inner]);
  };
  expect([
    answer(
      chain,
      claim(([signature, , ...rest]) => [signature!, new Uint8Array(32), ...rest]),
    ),
    answer(
      chain,
      claim(([, secret, ...rest]) => [sign(unsigned({ script, funds }), client), secret!, ...rest]),
    ),
    answer(
      chain,
      claim(([signature, secret, , last]) => [signature!, secret!, Uint8Array.of(2), last!]),
    ),
    answer(
      chain,
      claim(([signature, secret, choice]) => [signature!, secret!, choice!, Uint8Array.of(...inner, 0x61)]),
    ),
    answer(
      chain,
      claim(([signature, secret, ...rest]) => [signature!, secret!, new Uint8Array(81), ...rest]),
    ),
    answer(chain, refund(locktime - 5)),
    answer(chain, refund(locktime - 5, 0xffffffff)),
    answer(chain, refund(locktime)),
  ]).toEqual([
    '(Script failed an OP_EQUALVERIFY operation)',
    '(Signature must be zero for failed CHECK(MULTI)SIG operation)',
    '(OP_IF/NOTIF argument must be minimal)',
    '(Witness program hash mismatch)',
    'bad-witness-nonstandard',
    '(Locktime requirement not satisfied)',
    '(Locktime requirement not satisfied)',
    'non-final',
  ]);
  chain.mine(4);
  expect(answer(chain, refund(locktime))).toBe('non-final');
  chain.mine(1);
  expect(chain.tip().height).toBe(locktime);
  expect(answer(chain, refund(locktime))).toBe('accepted');
  expect(answer(chain, claim())).toMatch(/^insufficient fee/);
  chain.reorg(1);
  chain.mine(1);
  expect(answer(chain, claim())).toBe('bad-txns-inputs-missingorspent');
  const other = fund(chain, script, 1_000_000n);
  const tx = unsigned({ script, funds: other });
  expect(answer(chain, withWitness(tx, [sign(tx, server), preimage, Uint8Array.of(1), inner]))).toBe('accepted');
});

test('taproot: the key path, a leaf with a hash and a leaf with a relative lock', () => {
  const chain = openChain();
  const leaves = {
    claim: Script.encode(['HASH160', hash160, 'EQUALVERIFY', server.xOnly, 'CHECKSIG']),
    exit: Script.encode([3, 'CHECKSEQUENCEVERIFY', 'DROP', client.xOnly, 'CHECKSIG']),
  };
  const tree = p2tr(walletOf('internal').xOnly, [{ script: leaves.claim }, { script: leaves.exit }], network, true);
  const control = (leaf: Uint8Array) => {
    // The library's types leave out a field that it fills in.
    const listed = (tree.leaves as unknown as { script: Uint8Array; controlBlock: Uint8Array }[]).find(({ script }) =>
      Buffer.from(script).equals(leaf),
    );
    if (listed === undefined) throw new Error('no such leaf');
    return listed.controlBlock;
  };
  const funds = [fund(chain, tree.script, 500_000n), fund(chain, tree.script, 500_000n)] as const;
  const sign = (tx: Transaction, leaf: Uint8Array, secret: Uint8Array) =>
    schnorrLeaf(tx, tree.script, 500_000n, leaf, secret);
  const spend = (
    leaf: Uint8Array,
    secret: Uint8Array,
    items: Uint8Array[],
    sequence?: number,
    change: (control: Uint8Array) => Uint8Array = (same) => same,
  ) => {
    const tx = unsigned({
      script: tree.script,
      funds: leaf === leaves.claim ? funds[0] : funds[1],
      ...(sequence === undefined ? {} : { sequence }),
    });
    return withWitness(tx, [sign(tx, leaf, secret), ...items, leaf, change(control(leaf))]);
  };
  const broken = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte));
  expect([
    answer(chain, spend(leaves.claim, client.secret, [preimage])),
    answer(chain, spend(leaves.claim, server.secret, [new Uint8Array(32)])),
    answer(chain, spend(leaves.claim, server.secret, [preimage], undefined, broken)),
    answer(
      chain,
      spend(leaves.claim, server.secret, [preimage], undefined, (block) => block.subarray(0, -1)),
    ),
    answer(chain, spend(leaves.claim, server.secret, [new Uint8Array(81), preimage])),
    answer(chain, spend(leaves.exit, client.secret, [], 2)),
    answer(chain, spend(leaves.exit, client.secret, [], 3)),
    answer(chain, spend(leaves.claim, server.secret, [preimage])),
  ]).toEqual([
    '(Invalid Schnorr signature)',
    '(Script failed an OP_EQUALVERIFY operation)',
    '(Witness program hash mismatch)',
    '(Invalid Taproot control block size)',
    'bad-witness-nonstandard',
    'non-BIP68-final',
    'non-BIP68-final',
    'accepted',
  ]);
  chain.mine(2);
  expect(answer(chain, spend(leaves.exit, client.secret, [], 2))).toBe('(Locktime requirement not satisfied)');
  expect(answer(chain, spend(leaves.exit, client.secret, [], 3))).toBe('non-BIP68-final');
  chain.mine(1);
  expect(answer(chain, spend(leaves.exit, client.secret, [], 3))).toBe('accepted');

  const keyed = walletOf('keyed', 'p2tr');
  const own = fund(chain, keyed.script, 50_000n);
  const paid = pay({ from: keyed, funds: [own] });
  const flipped = tampered(paid, (raw) => {
    const [signature] = raw.witnesses?.[0] ?? [];
    if (signature !== undefined) signature[10] = (signature[10] ?? 0) ^ 1;
  });
  const annexed = tampered(paid, (raw) => void raw.witnesses?.[0]?.push(Uint8Array.of(0x50, 1)));
  expect([answer(chain, flipped), answer(chain, annexed), answer(chain, paid)]).toEqual([
    '(Invalid Schnorr signature)',
    'bad-witness-nonstandard',
    'accepted',
  ]);
});

test('a coin of a future witness version cannot be spent by anyone yet', () => {
  const chain = openChain();
  const future = OutScript.encode({ type: 'tr', pubkey: server.xOnly });
  future[0] = 0x52;
  expect(() => fund(chain, future, 10_000n)).toThrow('scriptpubkey');
});
