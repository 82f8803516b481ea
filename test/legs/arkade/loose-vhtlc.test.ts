import { schnorr } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { asHash160, asXOnly } from '../../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { seconds, unix } from '../../../engine/domain/time.ts';
import { encodeArkadeAddress } from '../../../engine/legs/arkade/address.ts';
import { buildExit } from '../../../engine/legs/arkade/exit.ts';
import { hash160, vhtlcScript } from '../../../engine/legs/arkade/script.ts';
import { vhtlcTerms } from '../../../engine/legs/arkade/shape.ts';
import { readSpend } from '../../../engine/legs/arkade/spend.ts';
import type { VhtlcTerms } from '../../../engine/legs/arkade/terms.ts';
import { clientScript, coinOf, preimage, secret, spend, terms as strictTerms } from './support.ts';

/* The bytes that published clients of the Boltz interface derive (facts/boltz.md 9). */

const keyOf = (byte: number) => asXOnly(schnorr.getPublicKey(new Uint8Array(32).fill(byte)));
const [server, user, operator] = [1, 2, 3].map(keyOf) as [
  VhtlcTerms['sender'],
  VhtlcTerms['sender'],
  VhtlcTerms['sender'],
];

const common = {
  operator,
  hash: asHash160(fromHex('60e2623d74433f065c1a838cd323343693deb97a')),
  refundLocktime: unix(1_800_000_000),
  claimDelay: seconds(86_528),
  refundDelay: seconds(172_544),
  refundWithoutReceiverDelay: seconds(259_072),
} as const;
const source: VhtlcTerms = { ...common, sender: user, receiver: server, sizeGuard: false };

/** Of secrets that a script without the guard takes, up to the longest. */
const lengths = [0, 1, 31, 33, 64, 65, 520];

const otherThan = ({ length }: Uint8Array) => (length === 0 ? Uint8Array.of(0) : new Uint8Array(length).fill(8));

describe('the loose VHTLC', () => {
  test('that the user funds has the claim leaf, script and address of the published client', () => {
    const script = vhtlcScript(source);
    expect({
      claim: toHex(script.leaf.claim.script),
      unilateral: toHex(script.leaf['unilateral-claim'].script).slice(0, 60),
      delays: (['unilateral-refund', 'unilateral-refund-without-receiver'] as const).map((leaf) =>
        toHex(script.leaf[leaf].script).slice(0, 8),
      ),
      pkScript: toHex(script.pkScript),
      address: encodeArkadeAddress({ prefix: 'tark', operator, outputKey: script.outputKey }),
    }).toEqual({
      claim:
        'a91460e2623d74433f065c1a838cd323343693deb97a8769201b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078fad20531fe6068134503d2723133227c867ac8fa6c83c537e9a44c3c5bdbdcb1fe337ac',
      unilateral: 'a91460e2623d74433f065c1a838cd323343693deb97a876903a90040b275',
      delays: ['03510140', '03fa0140'],
      pkScript: '51202ff4742684169acb8e5ebc1d08df3c7ede925f281746d478c680c42fd5258ffb',
      address:
        'tark1qpf3lesxsy69q0f8yvfnyf7gv7kglfkg83fhaxjyc0zmm0wtrl3nwtl5wsngg956ew89a0qapr0nclk7jf0js96x63uvdqxy9l2jtrlmmgal5r',
    });
  });

  test('that the node funds has the script and address of the published client too', () => {
    const terms: VhtlcTerms = { ...common, sender: server, receiver: user, sizeGuard: false };
    const { pkScript, outputKey } = vhtlcScript(terms);
    expect([toHex(pkScript), encodeArkadeAddress({ prefix: 'tark', operator, outputKey })]).toEqual([
      '51207bd6a52b3aa82a4efb1998f185954741e57028e44a2e75b57e0434fb22029b03',
      'tark1qpf3lesxsy69q0f8yvfnyf7gv7kglfkg83fhaxjyc0zmm0wtrl3nw77k554n42p2fma3nx83sk25ws09wq5wgj3wwk6hupp5lv3q9xcrv9z6cm',
    ]);
  });

  test('is ours on the chain by the claim that waits, and read back as that', () => {
    const terms: VhtlcTerms = { ...strictTerms, sizeGuard: false };
    const point = { ...coinOf(1).outpoint, amount: sats(50_000) };
    const made = buildExit(terms, {
      ...{ coin: point, leaf: 'unilateral-claim', preimage, to: clientScript, feeRate: 2 },
      sign: (message) => schnorr.sign(message, secret.receiver),
    });
    expect(made === null ? null : readSpend(terms, made.bytes, point)).toEqual({ leaf: 'claim', preimage });
  });

  test.each(lengths)('fault 18, arkade: claimed with %i bytes it is read as that, signed for alone', (length) => {
    const long = new Uint8Array(length).fill(9);
    const terms: VhtlcTerms = { ...strictTerms, hash: hash160(long), sizeGuard: false };
    const coin = { ...coinOf(1), script: vhtlcScript(terms).pkScript };
    const point = { ...coin.outpoint, amount: coin.amount };
    const { leaf, tapTree } = vhtlcScript(terms);
    const read = (of: VhtlcTerms, condition: Uint8Array, signers: readonly Uint8Array[]) =>
      readSpend(of, spend(leaf.claim, [coin], signers, { condition: [condition], tapTree }).arkTx.toPSBT(), point);
    const { sizeGuard: _, ...strict } = terms;
    const other = otherThan(long);
    expect([
      read(terms, long, [secret.receiver]),
      read(terms, long, []),
      read(terms, other, [secret.receiver]),
      read(strict, long, [secret.receiver]),
    ]).toEqual([{ leaf: 'off-length' }, null, null, null]);
  });

  test.each(lengths)(
    'fault 18, arkade: on the chain it is read as that too, of %i bytes in the claim that waits',
    (length) => {
      const long = new Uint8Array(length).fill(9);
      const terms: VhtlcTerms = { ...strictTerms, hash: hash160(long), sizeGuard: false };
      const point = { ...coinOf(1).outpoint, amount: sats(50_000) };
      const read = (shown: Uint8Array, signer: Uint8Array) => {
        const made = buildExit(terms, {
          ...{ coin: point, leaf: 'unilateral-claim', preimage: shown, to: clientScript, feeRate: 2 },
          sign: (message) => schnorr.sign(message, signer),
        });
        if (made === null) throw new Error('it is worth no transaction');
        const { sizeGuard: _, ...strict } = terms;
        return [readSpend(terms, made.bytes, point), readSpend(strict, made.bytes, point)];
      };
      const other = otherThan(long);
      expect([read(long, secret.receiver), read(long, secret.stranger), read(other, secret.receiver)]).toEqual([
        [{ leaf: 'off-length' }, null],
        [null, null],
        [null, null],
      ]);
    },
  );

  test('is saved and read as it is, and what was saved before there was one is strict', () => {
    const { sizeGuard: _, ...strict } = source;
    expect(vhtlcTerms.parse(source)).toEqual(source);
    expect(vhtlcTerms.parse(strict)).toEqual(strict);
    expect(vhtlcTerms.safeParse({ ...source, sizeGuard: true }).success).toBe(false);
    expect(toHex(vhtlcScript(strict).leaf.claim.script).startsWith('82012088a914')).toBe(true);
  });
});
