import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { Script, SigHash } from '@scure/btc-signer';
import { type Hash160, asHash160, asPreimage, asPublicKey, asXOnly } from '../../engine/domain/hash.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import { vhtlcLeaves, vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { TimeHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { hash160Of } from '../../engine/legs/secret.ts';
import { tapScript } from '../../engine/legs/tapscript.ts';
import { walletOf } from './bitcoin-support.ts';
import { jointRows } from './bitcoin-joint-rows.ts';
import { htlcWays, leafWay, type Sign, type Spending, type SpendRow, type Way } from './bitcoin-spends.ts';

const [claimer, refunder, operator] = [walletOf('claimer'), walletOf('refunder'), walletOf('operator')];
const secret = asPreimage(sha256(Uint8Array.of(1)));
/** Every chain of these tests is far behind the one and far before the other. */
const [over, ahead] = [unix(1_600_000_000), unix(1_900_000_000)];
const empty = new Uint8Array();
const flip = (bytes: Uint8Array | undefined, at: number): Uint8Array =>
  Uint8Array.from(bytes ?? empty, (byte, i) =>
    i === (at + (bytes?.length ?? 0)) % (bytes?.length ?? 1) ? byte ^ 1 : byte,
  );
const changed =
  (at: number, change: (item: Uint8Array) => Uint8Array) =>
  (witness: Uint8Array[]): Uint8Array[] =>
    witness.map((item, i) => (i === (at + witness.length) % witness.length ? change(item) : item));

function termsOf(form: TimeHtlcTerms['form'], change: Partial<TimeHtlcTerms> = {}): TimeHtlcTerms {
  return {
    form,
    hash: hash160Of(secret),
    claimer: asPublicKey(claimer.key),
    refunder: asPublicKey(refunder.key),
    refundLocktime: over,
    ...change,
  };
}

/** A secret whose hash is right, and whose length is not. */
function ofLength(length: number): { readonly bytes: Uint8Array; readonly hash: Hash160 } {
  const bytes = new Uint8Array(length).fill(7);
  return { bytes, hash: asHash160(hash160Of(bytes as never)) };
}

type Rows = readonly (readonly [name: string, how: Partial<Spending>, holds: boolean, way?: Way])[];

function htlcRows(form: TimeHtlcTerms['form']): SpendRow[] {
  const { claim, refund } = htlcWays(termsOf(form));
  const taproot = form === 'p2tr';
  const stackOf =
    (of: Uint8Array, by = claimer) =>
    (sign: Sign) =>
      taproot ? [of, sign(by.secret)] : [sign(by.secret), of];
  const signature = (change: (of: Uint8Array) => Uint8Array) => changed(taproot ? 1 : 0, change);
  const lengths = [31, 33].map(ofLength);
  const claims: Rows = [
    ['a claim', {}, true],
    ['a claim that cannot be replaced', { sequence: 0xffffffff }, true],
    ['a claim that signs inputs of its own alone', { sighash: SigHash.ALL_ANYONECANPAY }, true],
    ['a claim that signs no output', { sighash: SigHash.NONE }, true],
    ['a claim with the byte for all of it', { sighash: SigHash.ALL }, true],
    [
      'a claim by a sighash that there is not',
      { witness: signature((of) => Uint8Array.of(...of.subarray(0, 64), 4)) },
      false,
    ],
    ['another secret', { stack: stackOf(sha256(Uint8Array.of(2))) }, false],
    ['no secret', { stack: (sign) => [sign(claimer.secret)] }, false],
    ['an empty secret', { stack: stackOf(empty) }, false],
    ['a secret of 81 bytes', { stack: stackOf(new Uint8Array(81)) }, false],
    ...lengths.map(({ bytes, hash }): Rows[number] => [
      `a secret of ${bytes.length} bytes with the right hash`,
      { stack: stackOf(bytes) },
      false,
      htlcWays(termsOf(form, { hash })).claim,
    ]),
    ['a claim by the refunder', { stack: stackOf(secret, refunder) }, false],
    ['a claim by nobody', { witness: signature(() => empty) }, false],
    ['a signature with one bit wrong', { witness: signature((of) => flip(of, 20)) }, false],
    ['a signature that is too short', { witness: signature((of) => of.subarray(0, -2)) }, false],
    ['a signature that is too long', { witness: signature((of) => Uint8Array.of(...of, 1, 1)) }, false],
    ['a signature over another amount', { imagined: 1n }, false],
    ['an output that changed after it was signed', { less: 1n }, false],
    ['the stack the other way round', { stack: (sign) => [...stackOf(secret)(sign)].reverse() }, false],
    ['an item too many', { stack: (sign) => [Uint8Array.of(1), ...stackOf(secret)(sign)] }, false],
    ['no witness', { witness: () => [] }, false],
    ['the script alone', { witness: (all) => all.slice(-1) }, false],
    ['a script with one bit wrong', { witness: changed(taproot ? -2 : -1, (of) => flip(of, -1)) }, false],
    ['a script with one byte more', { witness: changed(taproot ? -2 : -1, (of) => Uint8Array.of(...of, 0x61)) }, false],
    ['the refund’s way with a claim’s stack', {}, false, refund],
  ];
  const later = htlcWays(termsOf(form, { refundLocktime: ahead })).refund;
  const refundStack = (by = refunder) => ({ stack: (sign: Sign) => [sign(by.secret)], locktime: over as number });
  const refunds: Rows = [
    ['a refund above its locktime', refundStack(), true, refund],
    ['a refund before its locktime', { ...refundStack(), locktime: ahead }, false, later],
    ['a refund before its locktime that says it is over', refundStack(), false, later],
    ['a refund with a locktime of one second less', { ...refundStack(), locktime: over - 1 }, false, refund],
    ['a refund with a locktime of one second more', { ...refundStack(), locktime: over + 1 }, true, refund],
    ['a refund with a height for a locktime', { ...refundStack(), locktime: 100 }, false, refund],
    ['a refund without a locktime', { ...refundStack(), locktime: 0 }, false, refund],
    ['a refund whose sequence switches the locktime off', { ...refundStack(), sequence: 0xffffffff }, false, refund],
    ['a refund by the claimer', refundStack(claimer), false, refund],
    ['a refund with the secret beside it', { ...refundStack(), stack: stackOf(secret, refunder) }, false, refund],
    ['a refund over another amount', { ...refundStack(), imagined: -1n }, false, refund],
    ['a refund by the claim’s way', refundStack(), false, claim],
  ];
  const others: Rows = taproot ? taprootRows(claim) : witnessScriptRows();
  return [...claims, ...others, ...refunds].map(([name, how, holds, way = claim]) => ({
    name: `${form}: ${name}`,
    way,
    how: { stack: stackOf(secret), ...how },
    holds,
  }));
}

function taprootRows(claim: Way): Rows {
  const control = (change: (of: Uint8Array) => Uint8Array) => ({ witness: changed(-1, change) });
  return [
    ['a control block of the other parity', control((of) => flip(of, 0)), false],
    ['a control block with one bit wrong', control((of) => flip(of, -1)), false],
    ['a control block that is too short', control((of) => of.subarray(0, -1)), false],
    ['a control block of one level less', control((of) => of.subarray(0, -32)), false],
    ['a control block of one level more', control((of) => concatBytes(of, new Uint8Array(32))), false],
    ['a leaf of a version to come', control((of) => Uint8Array.of((of[0] ?? 0) + 2, ...of.subarray(1))), false],
    ['an annex', { witness: (all) => [...all, Uint8Array.of(0x50, 1)] }, false],
    ['a signature of the key path', { witness: (all) => [all[1] ?? empty] }, false],
    ['a signature that names the default', { witness: changed(1, (of) => Uint8Array.of(...of, 0)) }, false],
    [
      'a claim’s stack with the script for a control block',
      { witness: (all) => [...all.slice(0, 3), claim.inner ?? empty] },
      false,
    ],
  ];
}

function witnessScriptRows(): Rows {
  const branch = (of: Uint8Array) => ({ witness: changed(-2, () => of) });
  return [
    ['a branch that is two', branch(Uint8Array.of(2)), false],
    ['a branch that is one in two bytes', branch(Uint8Array.of(1, 0)), false],
    ['a branch that is nothing in one byte', branch(Uint8Array.of(0)), false],
    ['no branch', { witness: (all) => all.filter((_, i) => i !== 2) }, false],
    ['a signature with a high s', { witness: changed(0, highS) }, false],
    ['a signature with a padded length', { witness: changed(0, padded) }, false],
  ];
}

function highS(der: Uint8Array): Uint8Array {
  const { r, s } = secp256k1.Signature.fromBytes(der.subarray(0, -1), 'der');
  const high = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s).toBytes('der');
  return Uint8Array.of(...high, der.at(-1) ?? 0);
}

/** A zero before the first number, which BIP 66 forbids. */
function padded(der: Uint8Array): Uint8Array {
  const [length = 0, first = 0] = [der[1], der[3]];
  return Uint8Array.of(0x30, length + 1, 2, first + 1, 0, ...der.subarray(4));
}

/** The leaves of a VHTLC that came to the chain: by all who must sign, and by all but the last of them. */
function vhtlcRows(): SpendRow[] {
  const script = vhtlcScript({
    sender: asXOnly(refunder.xOnly),
    receiver: asXOnly(claimer.xOnly),
    operator: asXOnly(operator.xOnly),
    hash: hash160Of(secret),
    refundLocktime: over,
    claimDelay: seconds(512),
    refundDelay: seconds(1_024),
    refundWithoutReceiverDelay: seconds(1_536),
  });
  const signers: Readonly<Record<(typeof vhtlcLeaves)[number], readonly { secret: Uint8Array }[]>> = {
    claim: [claimer, operator],
    refund: [refunder, claimer, operator],
    'refund-without-receiver': [refunder, operator],
    'unilateral-claim': [claimer],
    'unilateral-refund': [refunder, claimer],
    'unilateral-refund-without-receiver': [refunder],
  };
  const units = { 'unilateral-claim': 1, 'unilateral-refund': 2, 'unilateral-refund-without-receiver': 3 };
  return vhtlcLeaves.flatMap((leaf): SpendRow[] => {
    const way = leafWay(script.pkScript, script.leaf[leaf]);
    const unit = leaf in units ? units[leaf as keyof typeof units] : null;
    const stack =
      (change: (keys: Uint8Array[]) => Uint8Array[] = (same) => same) =>
      (sign: Sign) => [
        ...change(signers[leaf].map((one) => sign(one.secret)).reverse()),
        ...(leaf.endsWith('claim') ? [secret] : []),
      ];
    const how = {
      stack: stack(),
      ...(leaf === 'refund-without-receiver' ? { locktime: over as number } : {}),
      ...(unit === null ? {} : { sequence: 0x400000 | unit }),
    };
    const row = (name: string, change: Partial<Spending>, holds: boolean): SpendRow => ({
      name: `vhtlc: ${leaf}${name}`,
      way,
      how: { ...how, ...change },
      holds,
    });
    return [
      row('', {}, true),
      row(' without its last signature', { stack: stack((keys) => [empty, ...keys.slice(1)]) }, false),
      row(
        ' with a signature of somebody else',
        { stack: stack((keys) => [...keys.slice(1), keys[0] ?? empty].map((of) => flip(of, 3))) },
        false,
      ),
      ...(leaf.endsWith('claim')
        ? [row(' with another secret', { stack: (sign) => [...stack()(sign).slice(0, -1), sha256(secret)] }, false)]
        : []),
      ...(unit === null
        ? []
        : [
            row(' of a delay that is too short', { sequence: 0x400000 | (unit - 1) }, false),
            row(' counted in blocks', { sequence: unit }, false),
            row(' of a delay that is not over', { sequence: 0x400000 | 0xff }, false),
            row(' whose sequence is switched off', { sequence: 0xfffffffd }, false),
          ]),
    ];
  });
}

/** The plain forms: a leaf that waits for blocks, and a key path. */
function plainRows(): SpendRow[] {
  const exit = Script.encode([1, 'CHECKSEQUENCEVERIFY', 'DROP', refunder.xOnly, 'CHECKSIG']);
  const tree = tapScript([exit, Script.encode([claimer.xOnly, 'CHECKSIG'])]);
  const [first, second] = tree.leaves;
  if (first === undefined || second === undefined) throw new Error('two leaves were asked for');
  const wait = leafWay(tree.pkScript, first);
  const stack = (sign: Sign) => [sign(refunder.secret)];
  return [
    { name: 'a leaf that waits for a block, after one', way: wait, how: { stack, sequence: 1 }, holds: true },
    { name: 'a leaf that waits for a block, after none', way: wait, how: { stack, sequence: 0 }, holds: false },
    { name: 'a leaf that waits for a block, after a hundred', way: wait, how: { stack, sequence: 100 }, holds: false },
    {
      name: 'the other leaf by the first one’s key',
      way: leafWay(tree.pkScript, second),
      how: { stack },
      holds: false,
    },
  ];
}

export const spendRows: readonly SpendRow[] = [
  ...htlcRows('p2tr'),
  ...htlcRows('p2wsh'),
  ...jointRows(),
  ...vhtlcRows(),
  ...plainRows(),
];
