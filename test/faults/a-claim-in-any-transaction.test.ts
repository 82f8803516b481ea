import { sha256 } from '@noble/hashes/sha2.js';
import { RawTx } from '@scure/btc-signer';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { preimageIn, readSpend } from '../../engine/legs/arkade/spend.ts';
import type { HtlcTerms, TimeHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { readHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { newReading, name, readHtlc } from '../../engine/runtime/networks/onchain/read-htlc.ts';
import { claimIn } from '../../engine/runtime/networks/arkade/spends.ts';
import { showing, showsSecret } from '../../engine/runtime/networks/onchain/transactions.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../engine/sandbox/wire/http.ts';
import { coinOf, preimage, script, secret as keys, spend, terms as vhtlc } from '../legs/arkade/support.ts';
import { newWorld, ours } from '../runtime/onchain/scene.ts';
import { clientPublic, clientSpend, scriptOf, secret, termsOf } from '../runtime/onchain/support.ts';

type Raw = ReturnType<typeof RawTx.decode>;

const forms: readonly TimeHtlcTerms['form'][] = ['p2tr', 'p2wsh'];
const coin = { txid: '11'.repeat(32), vout: 3, amount: sats(100_000) };
const at = vhtlc.refundLocktime;

/** Bytes of a claim of an HTLC by its client. */
function claimOf(
  form: TimeHtlcTerms['form'],
  of: HtlcTerms,
  spends: Outpoint & { amount: typeof coin.amount },
): Uint8Array {
  expect(of.form).toBe(form);
  return clientSpend(of, spends, { claim: true }).bytes;
}

/** A claim of a VHTLC that was brought to the chain. Nobody verifies here who signed it: its preimage is all. */
function chainClaim(): Uint8Array {
  const { script: leaf } = script.leaf['unilateral-claim'];
  return RawTx.encode({
    version: 2,
    segwitFlag: true,
    inputs: [{ txid: fromHex(coin.txid), index: coin.vout, finalScriptSig: new Uint8Array(), sequence: 0x0040_0001 }],
    outputs: [{ amount: 99_000n, script: Uint8Array.of(0x51) }],
    witnesses: [[new Uint8Array(64).fill(1), preimage, leaf, new Uint8Array(97).fill(0xc0)]],
    lockTime: 0,
  });
}

/** What a miner takes and no node relays. */
interface Form {
  readonly version: number;
  readonly lockTime: number;
  readonly sequence: number;
  readonly before: number;
  readonly after: number;
  readonly items: readonly number[];
  readonly outputs: readonly Uint8Array[];
  readonly annex: number | null;
  readonly selector: Uint8Array;
  readonly sighash: number | null;
  readonly control: number;
}

const odd = fc.constantFrom(0, 1, 2, 4, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff);
const u32 = fc.oneof(odd, fc.nat({ max: 0xffff_ffff }));
const anyForm: fc.Arbitrary<Form> = fc.record({
  version: u32,
  lockTime: u32,
  sequence: u32,
  before: fc.nat({ max: 4 }),
  after: fc.nat({ max: 4 }),
  items: fc.array(fc.oneof(fc.nat({ max: 600 }), fc.constantFrom(0, 32, 64, 65, 0xfd, 0xffff, 0x1_0000)), {
    maxLength: 6,
  }),
  outputs: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }),
  annex: fc.option(fc.constantFrom(1, 2, 32, 300_000), { nil: null }),
  selector: fc
    .uint8Array({ minLength: 1, maxLength: 520 })
    .filter((bytes) => bytes.slice(0, -1).some((byte) => byte !== 0)),
  sighash: fc.option(fc.constantFrom(0x01, 0x02, 0x03, 0x81, 0x82, 0x83), { nil: null }),
  control: fc.constantFrom(0xc0, 0xc1),
});

/** The same claim in a transaction of another form; `taproot`: what may carry an annex. */
function mutated(bytes: Uint8Array, form: Form, taproot: boolean): Uint8Array {
  const raw = RawTx.decode(bytes.slice());
  const [input] = raw.inputs;
  const [stack = []] = raw.witnesses ?? [];
  if (input === undefined) throw new Error('a claim has an input');
  const witness: Uint8Array[] = stack.map((item) => item.slice());
  if (taproot) {
    const control = witness.at(-1);
    if (control !== undefined) control[0] = form.control;
    if (form.sighash !== null)
      witness.splice(
        0,
        witness.length,
        ...witness.map((item) => (item.length === 64 ? Uint8Array.of(...item, form.sighash ?? 1) : item)),
      );
    if (form.annex !== null) witness.push(new Uint8Array(form.annex).fill(0x50));
  } else witness.splice(-2, 1, form.selector);
  const other = (n: number): Raw['inputs'][number] => ({
    txid: new Uint8Array(32).fill(0x80 + n),
    index: n,
    finalScriptSig: new Uint8Array(n * 300),
    sequence: form.sequence,
  });
  const strange = form.items.map((length) => new Uint8Array(length).fill(length > 1_000_000 ? 0 : length % 256));
  const [before, after] = [form.before, form.after].map((count, side) =>
    Array.from({ length: count }, (_, i) => other(side * 10 + i)),
  ) as [Raw['inputs'], Raw['inputs']];
  return RawTx.encode({
    version: form.version | 0,
    segwitFlag: true,
    inputs: [...before, { ...input, sequence: form.sequence }, ...after],
    outputs: [...raw.outputs, ...form.outputs.map((one, i) => ({ amount: BigInt(i), script: one }))],
    witnesses: [...before.map(() => strange), witness, ...after.map(() => strange)],
    lockTime: form.lockTime,
  });
}

const runs = { numRuns: 100 } as const;

describe.each(forms)('fault 63: a claim of an HTLC as %s', (form) => {
  const terms = termsOf(clientPublic, ours, at, form);
  const claim = claimOf(form, terms, coin);

  test('shows its secret to every reader in any transaction that can be mined', () => {
    fc.assert(
      fc.property(anyForm, (how) => {
        const bytes = mutated(claim, how, form === 'p2tr');
        const tx = readRawTx(bytes);
        expect(tx && readHtlcSpend(terms, coin, tx)).toEqual({ by: 'claim', preimage: secret });
        expect(showing(terms.hash, coin)(bytes)).toBe(true);
        expect([readTransaction(bytes).txid, tx?.version, tx?.lockTime]).toEqual([tx?.txid, how.version, how.lockTime]);
      }),
      runs,
    );
  });
});

describe('fault 63: a claim of a VHTLC', () => {
  const onChain = chainClaim();
  const ref = { ...coin };

  test('on the chain shows its secret to every reader in any transaction that can be mined', () => {
    fc.assert(
      fc.property(anyForm, (how) => {
        const bytes = mutated(onChain, how, true);
        expect(preimageIn(vhtlc.hash, bytes, coin)).toEqual(preimage);
        expect(preimageIn(vhtlc.hash, bytes)).toEqual(preimage);
        expect(readSpend(vhtlc, bytes, ref)).toMatchObject({ leaf: 'claim', preimage });
        expect(claimIn(vhtlc, bytes, coin)).toMatchObject({ leaf: 'claim', preimage });
      }),
      runs,
    );
  });

  const [one] = [coinOf(1)];
  const { arkTx, checkpoints } = spend(script.leaf.claim, [one], [keys.receiver], { condition: [preimage] });
  /** Fields that BIP 174 and 371 know, and whatever their values are no operator looks at. */
  const field = fc.record({
    type: fc.constantFrom(0x00, 0x03, 0x06, 0x07, 0x0c, 0x13, 0x16, 0x17, 0x18, 0x1a, 0xfc),
    value: fc.uint8Array({ minLength: 1, maxLength: 80 }),
  });

  test('that an operator took shows its secret, whatever else its PSBT says', () => {
    fc.assert(
      fc.property(field, field, (inInput, inOutput) => {
        const bytes = withField(arkTx.toPSBT(), inInput, inOutput);
        expect(preimageIn(vhtlc.hash, bytes)).toEqual(preimage);
        expect(readSpend(vhtlc, bytes, { ...one.outpoint, amount: one.amount })).toEqual({ leaf: 'claim', preimage });
      }),
      runs,
    );
  });

  test('that an operator took shows its secret in a field of any name', () => {
    const psbt = (checkpoints[0] ?? expect.fail('it has a checkpoint')).toPSBT();
    for (const value of [preimage, Uint8Array.of(1, 32, ...preimage), Uint8Array.of(2, 1, 7, 32, ...preimage)])
      expect(preimageIn(vhtlc.hash, withField(psbt, { type: 0xee, value }, { type: 0x06, value }))).toEqual(preimage);
  });
});

/** A field more in the first input and in the last output. */
function withField(
  psbt: Uint8Array,
  inInput: { readonly type: number; readonly value: Uint8Array },
  inOutput: typeof inInput,
): Uint8Array {
  const written = ({ type, value }: typeof inInput) => [1, type, value.length, ...value];
  // The first map holds the transaction alone: its length stands at byte 7, behind 0xfd where it takes two bytes.
  const [length, from] = psbt[7] === 0xfd ? [(psbt[8] ?? 0) + 256 * (psbt[9] ?? 0), 10] : [psbt[7] ?? 0, 8];
  const inputs = from + length + 1;
  expect(psbt[inputs - 1]).toBe(0);
  return Uint8Array.of(
    ...psbt.subarray(0, inputs),
    ...written(inInput),
    ...psbt.subarray(inputs, -1),
    ...written(inOutput),
    0,
  );
}

describe('fault 63, bitcoin: a claim that only a miner takes', () => {
  const amount = sats(50_000);
  let world: ReturnType<typeof newWorld>;
  let server: HttpServer;
  beforeEach(async () => {
    world = newWorld();
    server = await serveEsplora(world, 0);
  });
  afterEach(() => server.stop());

  function source(): BitcoinPort {
    const port = connectBitcoin({
      network: 'regtest',
      core: null,
      esplora: [server.url],
      wall: world.clock.now,
      isOwn: () => false,
    });
    return port ?? expect.fail('nothing is connected');
  }

  const plain = {
    lockTime: 0,
    sequence: 0xffff_ffff,
    before: 0,
    after: 0,
    items: [],
    outputs: [],
    annex: null,
    selector: Uint8Array.of(7, 7),
    sighash: null,
    control: 0xc0,
  } as const;

  test.each<[string, TimeHtlcTerms['form'], Form]>([
    ['of version 4', 'p2tr', { ...plain, version: 4 }],
    ['of version 4 of a witness script', 'p2wsh', { ...plain, version: 4 }],
    ['of version 0', 'p2tr', { ...plain, version: 0 }],
    ['of the highest version', 'p2tr', { ...plain, version: 0xffff_ffff }],
    ['with a megabyte behind it', 'p2tr', { ...plain, version: 0x7fff_ffff, annex: 1_000_000 }],
  ])('%s is read from its block', async (_, form, how) => {
    const terms = termsOf(clientPublic, ours, world.tip().mtp + 3_600, form);
    const paid = world.faucet(scriptOf(terms), amount) ?? expect.fail('the faucet has no coin');
    world.mine(1);
    const bytes = mutated(claimOf(form, terms, { ...paid, amount }), how, form === 'p2tr');
    world.include([bytes]);
    world.mine(1);
    const bitcoin = source();
    const reading = newReading(terms, () => []);
    name(reading, [{ outpoint: paid, amount }]);
    const [it] = await readHtlc(reading, [], { bitcoin, tip: await bitcoin.tip() });
    expect(it?.spend).toMatchObject({ by: 'claim', preimage: secret, height: world.tip().height });
    const txid = it?.spend?.txid ?? '';
    expect(await showsSecret({ txid, height: null }, { hash: terms.hash, coin: paid, bitcoin })).toBe(true);
  });
});

/** Processor time in milliseconds, the least of a few: other programs run beside this one. */
function costs(work: () => void): number {
  return Math.min(
    ...Array.from({ length: 4 }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    }),
  );
}

/** A stack of one item of zeros, as one of as many empty items: what was its length is their number. */
function emptied(bytes: Uint8Array): Uint8Array {
  const item = bytes.findIndex((byte, i) => byte === 1 && bytes[i + 1] === 0xfe && bytes[i + 5] === 0);
  const zeros = bytes.slice();
  zeros.copyWithin(item, item + 1);
  return zeros.subarray(0, -1);
}

test.each([
  ['one item', [3_990_000], 0, 0],
  ['many items of one byte', Array.from({ length: 900 }, () => 1), 220, 0],
  ['candidates alone', Array.from({ length: 1_000 }, () => 32), 118, 0],
  ['nothing but empty items', [3_990_000], 0, 0],
  ['inputs and outputs', [], 10_000, 12_000],
] as const)(
  'fault 63: four megabytes of %s are read in the time of ten hashes of them',
  (what, items, others, outputs) => {
    const terms = termsOf(clientPublic, ours, at);
    const claim = claimOf('p2tr', terms, coin);
    const form = {
      version: 4,
      lockTime: 0,
      sequence: 0,
      outputs: [],
      annex: null,
      sighash: null,
      control: 0xc0,
    } as const;
    const raw = RawTx.decode(mutated(claim, { ...form, before: 1, after: 0, items, selector: Uint8Array.of(1) }, true));
    const [first, ours_] = raw.inputs as [Raw['inputs'][number], Raw['inputs'][number]];
    const made = RawTx.encode({
      ...raw,
      inputs: [...Array.from({ length: Math.max(1, others) }, (_, i) => ({ ...first, index: i })), ours_],
      witnesses: [
        ...Array.from({ length: Math.max(1, others) }, () => raw.witnesses?.[0] ?? []),
        raw.witnesses?.[1] ?? [],
      ],
      outputs: [...raw.outputs, ...Array.from({ length: outputs }, () => ({ amount: 1n, script: new Uint8Array(22) }))],
    });
    const bytes = what === 'nothing but empty items' ? emptied(made) : made;
    const text = toHex(bytes);
    const most = 10 * costs(() => sha256(bytes));
    expect(
      costs(() => {
        const tx = readRawTx(fromHex(text));
        expect(tx && readHtlcSpend(terms, coin, tx)).toEqual({ by: 'claim', preimage: secret });
        expect(tx?.txid.length).toBe(64);
      }),
    ).toBeLessThan(most);
    expect(costs(() => expect(toHex(bytes).length).toBe(text.length))).toBeLessThan(most);
  },
);
