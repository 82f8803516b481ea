import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import {
  exchangeRate,
  priceFromToken,
  priceToToken,
  satsOfUnitsDown,
  unitsOfSats,
  type Worth,
} from '../../engine/quote/token-price.ts';
import { composed } from './composer.ts';

const rate = { bps: 25, flat: sats(0), networkFee: sats(700) };
const decimals = fc.integer({ min: 8, max: 18 });
const amounts = fc.bigInt({ min: 1n, max: 21n * 10n ** 14n });
const tokens = fc.bigInt({ min: 0n, max: 10n ** 30n });

const worthOf = (inSats: bigint, token: bigint, bridgeFee = 0n, peggedDecimals = 8): Worth => ({
  sats: sats(inSats),
  token: tokenAmount(token),
  pegged: unitsOfSats(sats(inSats), peggedDecimals),
  bridgeFee: tokenAmount(bridgeFee),
});

/** Rates that a client reads as they are: every other one is refused as a setting. */
const readable = fc
  .integer({ min: 0, max: 1_000 })
  .filter((bps) => BigInt(Math.round((bps / 10_000) * 1e18)) === BigInt(bps) * 10n ** 14n);

describe('what a client composes is what the create moves', () => {
  it('from bitcoin to a token, either side pinned, with and without a bridge', () => {
    fc.assert(
      fc.property(
        amounts,
        tokens,
        tokens,
        readable,
        fc.nat(1_000_000),
        fc.nat(1_000_000),
        decimals,
        fc.boolean(),
        (amount, token, bridgeFee, bps, flat, network, peggedDecimals, source) => {
          const worth = worthOf(amount, token, bridgeFee, peggedDecimals);
          const pinned = source ? 'source' : 'target';
          const own = { bps, flat: sats(flat), networkFee: sats(network) };
          const ours = priceToToken(pinned, worth, peggedDecimals, own);
          const theirs = composed({
            direction: 'to-token',
            pinned,
            sats: amount,
            token,
            tokenDecimals: 6,
            bridgeFee,
            feeFraction: bps / 10_000,
            networkFee: BigInt(network + flat),
          });
          expect([`${ours.sats}`, `${ours.token}`, ours.fee - own.flat]).toEqual([
            theirs.netSource,
            theirs.netTarget,
            theirs.fee,
          ]);
        },
      ),
    );
  });

  it('from a token to bitcoin, either side pinned', () => {
    fc.assert(
      fc.property(
        amounts,
        tokens,
        readable,
        fc.nat(1_000_000),
        fc.nat(1_000_000),
        fc.boolean(),
        (amount, token, bps, flat, network, source) => {
          const pinned = source ? 'source' : 'target';
          const own = { bps, flat: sats(flat), networkFee: sats(network) };
          const ours = priceFromToken(pinned, worthOf(amount, token), 8, own);
          const theirs = composed({
            direction: 'from-token',
            pinned,
            sats: amount,
            token,
            tokenDecimals: 6,
            feeFraction: bps / 10_000,
            networkFee: BigInt(network + flat),
          });
          expect([`${ours.token}`, `${ours.sats}`, ours.fee - own.flat]).toEqual([
            theirs.netSource,
            theirs.netTarget,
            theirs.fee,
          ]);
        },
      ),
    );
  });

  it('a surcharge added as a fraction is shown within one satoshi', () => {
    fc.assert(
      fc.property(amounts, readable, fc.nat(1_000), (amount, bps, extra) => {
        const ours = priceFromToken('source', worthOf(amount, 1n), 8, {
          bps: bps + extra,
          flat: sats(0),
          networkFee: sats(0),
        });
        const feeFraction = bps / 10_000 + extra / 10_000;
        const theirs = composed({
          direction: 'from-token',
          pinned: 'source',
          sats: amount,
          token: 1n,
          tokenDecimals: 6,
          feeFraction,
          networkFee: 0n,
        });
        expect(ours.fee - theirs.fee).toBeGreaterThanOrEqual(-1n);
        expect(ours.fee - theirs.fee).toBeLessThanOrEqual(1n);
      }),
    );
  });
});

describe('the rate', () => {
  it('is whole tokens for one bitcoin, cut off after twelve digits', () => {
    const of = (inSats: bigint, token: bigint, digits: number) => exchangeRate(worthOf(inSats, token), digits);
    expect([of(100_000_000n, 60_000_000_000n, 6), of(300n, 199_999n, 6), of(7n, 1n, 18), of(0n, 5n, 6)]).toEqual([
      '60000',
      '66666.333333333333',
      '0.000000000014',
      '0',
    ]);
  });

  it('is the one that a client writes', () => {
    fc.assert(
      fc.property(amounts, tokens, fc.integer({ min: 0, max: 18 }), (amount, token, digits) => {
        const theirs = composed({
          direction: 'to-token',
          pinned: 'source',
          sats: amount,
          token,
          tokenDecimals: digits,
          feeFraction: 0,
          networkFee: 0n,
        });
        expect(exchangeRate(worthOf(amount, token), digits)).toBe(theirs.exchangeRate);
      }),
    );
  });
});

describe('the lock', () => {
  it('to a token holds what is left of the sats, and from a token all of them', () => {
    const worth = worthOf(100_000n, 60_000_000n, 0n, 18);
    const locked = [
      priceToToken('source', worth, 18, rate).locked,
      priceToToken('target', worth, 18, rate).locked,
      priceFromToken('source', worth, 18, rate).locked,
      priceFromToken('target', worth, 18, rate).locked,
    ];
    expect(locked).toEqual([99_050n, 100_000n, 100_000n, 100_950n].map((amount) => amount * 10n ** 10n));
  });

  it('fault 58, evm: the node never pays for more than it is given', () => {
    fc.assert(
      fc.property(
        amounts,
        tokens,
        readable,
        fc.nat(1_000_000),
        decimals,
        (amount, token, bps, network, peggedDecimals) => {
          const worth = worthOf(amount, token, 0n, peggedDecimals);
          const price = { bps, flat: sats(0), networkFee: sats(network) };
          const to = priceToToken('source', worth, peggedDecimals, price);
          const from = priceFromToken('target', worth, peggedDecimals, price);
          expect(satsOfUnitsDown(to.locked, peggedDecimals)).toBeLessThanOrEqual(to.sats);
          expect(satsOfUnitsDown(from.locked, peggedDecimals)).toBeGreaterThanOrEqual(from.sats);
        },
      ),
    );
  });

  it('is nothing where the fees eat it all', () => {
    const { token, locked } = priceToToken('source', worthOf(600n, 1_000n, 100n), 8, rate);
    const { sats: payout } = priceFromToken('source', worthOf(600n, 1_000n), 8, rate);
    expect([token, locked, payout]).toEqual([0n, 0n, 0n]);
  });

  it('a pegged token that cannot hold a satoshi is refused', () => {
    expect(() => unitsOfSats(sats(1), 6)).toThrow('cannot hold sats');
    expect(satsOfUnitsDown(19_999_999_999n, 18)).toBe(1n);
  });
});
