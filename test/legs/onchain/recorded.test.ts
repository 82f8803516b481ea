import { readFileSync } from 'node:fs';
import { hex } from '@scure/base';
import { expect, test, vi } from 'vitest';
import { signSend } from '../../../engine/adapters/bitcoin/sign-send.ts';
import { asHash160, asPreimage, asPublicKey, asXOnly } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { addressOfScript, scriptOfAddress } from '../../../engine/legs/onchain/address.ts';
import { htlcAddress, htlcScript, type TimeHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { buildHtlcSpend } from '../../../engine/legs/onchain/htlc-spend.ts';
import { chosenFrom } from '../../../engine/legs/onchain/select.ts';
import { keyPathScript, type TreeLeaf } from '../../../engine/legs/onchain/taproot.ts';
import { xOnlyKeyOf } from '../../../engine/legs/secp256k1.ts';
import type { KeyRef } from '../../../engine/legs/signer.ts';

type Network = 'mainnet' | 'signet' | 'regtest';

interface TermsRow {
  readonly form: TimeHtlcTerms['form'];
  readonly hash: string;
  readonly claimer: string;
  readonly refunder: string;
  readonly refundLocktime: number;
}

function rowsOf<Row>(name: string): readonly Row[] {
  return JSON.parse(readFileSync(new URL(`../../vectors/onchain/${name}.json`, import.meta.url), 'utf8')) as Row[];
}

function termsOf({ form, hash, claimer, refunder, refundLocktime }: TermsRow): TimeHtlcTerms {
  return {
    form,
    hash: asHash160(hex.decode(hash)),
    claimer: asPublicKey(hex.decode(claimer)),
    refunder: asPublicKey(hex.decode(refunder)),
    refundLocktime: unix(refundLocktime),
  };
}

interface LeafRow {
  readonly hash: string;
  readonly witness: readonly string[];
}

interface HtlcRow {
  readonly terms: TermsRow;
  readonly network: Network;
  readonly address: string;
  readonly pkScript: string;
  readonly claim?: LeafRow;
  readonly refund?: LeafRow;
  readonly witnessScript?: string;
}

test('scripts, leaves, control blocks and addresses of HTLCs are those of another library', () => {
  const leafRow = ({ script, hash, controlBlock }: TreeLeaf): LeafRow => ({
    hash: hex.encode(hash),
    witness: [script, controlBlock].map(hex.encode),
  });
  for (const row of rowsOf<HtlcRow>('htlcs')) {
    const terms = termsOf(row.terms);
    const script = htlcScript(terms);
    expect({
      terms: row.terms,
      network: row.network,
      address: htlcAddress(terms, row.network),
      pkScript: hex.encode(script.pkScript),
      ...(script.form === 'p2tr'
        ? { claim: leafRow(script.claim), refund: leafRow(script.refund) }
        : { witnessScript: hex.encode(script.witnessScript) }),
    }).toEqual(row);
  }
});

interface SpendRow {
  readonly terms: TermsRow;
  readonly coin: { readonly txid: string; readonly vout: number; readonly amount: number };
  readonly preimage: string | null;
  readonly to: string;
  readonly feeRate: number;
  readonly mostFee: number;
  readonly secret: string;
  readonly made: { txid: string; bytes: string; fee: number; rate: number; capped: boolean } | null;
}

test('claims and refunds are signed to the byte as another library signed them, at the same fee', () => {
  for (const { terms, coin, preimage, to, feeRate, mostFee, secret, made } of rowsOf<SpendRow>('spends')) {
    const spend = buildHtlcSpend(termsOf(terms), {
      coin: { ...coin, amount: sats(coin.amount) },
      ...(preimage === null ? {} : { preimage: asPreimage(hex.decode(preimage)) }),
      to: hex.decode(to),
      feeRate,
      mostFee: sats(mostFee),
      secret: hex.decode(secret),
    });
    expect(spend && { ...spend, bytes: hex.encode(spend.bytes), fee: Number(spend.fee) }).toEqual(made);
  }
});

interface OutputRow {
  readonly script: string;
  readonly amount: number;
}

interface SendRow {
  readonly coins: readonly { txid: string; vout: number; amount: number; index: number }[];
  readonly outputs: readonly OutputRow[];
  readonly sequence: number;
  readonly made: { txid: string; bytes: string; vsize: number } | null;
}

function outputsOf(rows: readonly OutputRow[]) {
  return rows.map(({ script, amount }) => ({ script: hex.decode(script), amount: BigInt(amount) }));
}

const sends = rowsOf<SendRow>('sends');

function sendOf({ coins, outputs, sequence }: SendRow) {
  const keys = (ref: KeyRef) => new Uint8Array(32).fill('index' in ref ? ref.index + 1 : 0);
  return signSend(keys, {
    coins: coins.map(({ txid, vout, amount, index }) => ({
      outpoint: { txid, vout },
      amount: sats(amount),
      key: { branch: 'bitcoin-change', index },
    })),
    outputs: outputsOf(outputs),
    sequence,
  });
}

test('payments of the wallet are signed to the byte as another library signed them', () => {
  for (const row of sends.filter(({ made }) => made !== null)) {
    const { txid, bytes, vsize } = sendOf(row);
    expect({ txid, bytes: hex.encode(bytes), vsize }).toEqual(row.made);
  }
});

// The library that signs now would sign for more than the coins hold, and for no output that anybody can spend.
test('what pays more than its coins hold, or to no script of an address, is signed for by nobody', () => {
  const refused = sends.filter(({ made }) => made === null);
  expect(refused.length).toBeGreaterThan(10);
  for (const row of refused) expect(() => sendOf(row)).toThrow();
});

interface AddressRow {
  readonly text: string;
  readonly script: Readonly<Record<Network, string | null>>;
}

test('addresses are read as by another library on every network, and nothing is written to the console', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  for (const { text, script } of rowsOf<AddressRow>('addresses'))
    for (const network of ['mainnet', 'signet', 'regtest'] as const) {
      const read = scriptOfAddress(text, network);
      expect([text, network, read && hex.encode(read)]).toEqual([text, network, script[network]]);
      if (read !== null && !/[A-Z]/.test(text.slice(0, 4)) && text.startsWith('b'))
        expect(addressOfScript(read, network)).toBe(text);
    }
  expect(warn).not.toHaveBeenCalled();
});

test('the output of a key alone is that of another library, and a key that is no point has none', () => {
  for (const { key, script } of rowsOf<{ readonly key: string; readonly script: string }>('key-paths')) {
    const output = () => hex.encode(keyPathScript(asXOnly(hex.decode(key))));
    if (script === 'refused') expect(output).toThrow();
    else expect(output()).toBe(script);
  }
});

interface ChoiceRow {
  readonly coins: readonly number[];
  readonly keep: number;
  readonly outputs: readonly OutputRow[];
  readonly rate: number;
  readonly chosen: { readonly coins: readonly number[]; readonly exact: boolean } | null;
}

test('coins are chosen as another library chose them', () => {
  const own = Uint8Array.of(0x51, 32, ...xOnlyKeyOf(new Uint8Array(32).fill(1)));
  for (const { coins, keep, outputs, rate, chosen } of rowsOf<ChoiceRow>('choices')) {
    const all = coins.map((amount, i) => ({
      outpoint: { txid: (i + 1).toString(16).padStart(64, '0'), vout: i % 3 },
      amount: sats(amount),
      key: { branch: 'bitcoin-deposit', index: i } as const,
    }));
    const choice = chosenFrom(all.slice(keep), { outputs: outputsOf(outputs), own, rate, keep: all.slice(0, keep) });
    const places = choice?.coins.map((coin) => all.findIndex(({ outpoint }) => outpoint.txid === coin.outpoint.txid));
    expect(choice && { coins: places, exact: choice.exact }).toEqual(chosen);
  }
});
