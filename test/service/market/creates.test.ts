import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { checksummed } from '../../../engine/domain/evm-address.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { sats, tokenAmount } from '../../../engine/domain/money.ts';
import type { BridgePort } from '../../../engine/quote/ports.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { arkadeEvmDirection } from '../../../engine/service/directions/arkade-evm.ts';
import { bitcoinEvmDirection } from '../../../engine/service/directions/bitcoin-evm.ts';
import { evmArkadeDirection } from '../../../engine/service/directions/evm-arkade.ts';
import { evmBitcoinDirection } from '../../../engine/service/directions/evm-bitcoin.ts';
import { evmLightningDirection } from '../../../engine/service/directions/evm-lightning.ts';
import { lightningEvmDirection } from '../../../engine/service/directions/lightning-evm.ts';
import { lightningSendQuote } from '../../../engine/service/price/send-quote.ts';
import { createSpreads } from '../../../engine/service/price/spreads.ts';
import { tbtc, usdc, wbtc } from '../../adapters/dex/market.ts';
import { composeAs } from './compose.ts';
import { bitcoinOf, given, hex, openPools, quoted, shown, zero, type Choice, type OpenPools } from './context.ts';

const bridge: BridgePort = {
  chainId: 137,
  usdc,
  adapter: asEvmAddress(new Uint8Array(20).fill(0xad)),
  fees: { ethereum: 1_250_000, others: 200_000 },
  stands: () => Promise.resolve(true),
};
const base = { name: 'Base', chainId: 8453, usdc: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' };
const account = asEvmAddress(new Uint8Array(20).fill(0x99));
const common = { userId: 'wallet', extraFeesBps: 0, referralCode: null };
let open: OpenPools;

beforeAll(async () => {
  open = await openPools(20_000_000);
});
afterAll(() => open.stop());

interface Charged {
  readonly source: string | number;
  readonly target: string | number;
  readonly fees: number;
}

/** In a request: the amount of either side, in its own kind. */
function pinnedOf<S, T>({ pinned, amount }: Choice, source: (of: bigint) => S, target: (of: bigint) => T) {
  return pinned === 'source'
    ? ({ pinned, amount: source(amount) } as const)
    : ({ pinned, amount: target(amount) } as const);
}

async function toToken(context: ServiceContext, choice: Choice, gasless: boolean): Promise<Charged> {
  const { token, chain = '137', onward } = choice;
  const { publicKey: text } = open.scene.client;
  const refundKey = { key: context.signer({ branch: 'taker', index: 0 }).publicKey, text };
  const request = {
    ...common,
    hash: asSha256(randomBytes(32)),
    evmChainId: Number(chain) as never,
    claimingAddress: account,
    claimingText: checksummed(account),
    token,
    target: { is: 'evm', address: account },
    amount: pinnedOf(choice, sats, tokenAmount),
    gasless,
    bridge: onward === undefined ? null : { chain: onward.name, token: null, recipientSetup: false },
  } as const;
  const from = {
    Arkade: () => arkadeEvmDirection.create(context, { ...request, refundKey }, null),
    Lightning: () => lightningEvmDirection.create(context, { ...request, description: null }, null),
    Bitcoin: () => bitcoinEvmDirection.create(context, { ...request, refundKey }, null),
  };
  const record = given(await from[bitcoinOf(choice)]());
  return { source: record.source_amount, target: record.target_amount, fees: record.fee_sats };
}

async function fromToken(context: ServiceContext, choice: Choice, gasless: boolean): Promise<Charged> {
  const { publicKey: text } = open.scene.client;
  const claimKey = { key: context.signer({ branch: 'taker', index: 0 }).publicKey, text };
  const amount = pinnedOf(choice, tokenAmount, sats);
  const request = {
    ...common,
    evmChainId: 137 as never,
    token: choice.token,
    userAddress: account,
    userText: checksummed(account),
    gasless,
    bridge: null,
  };
  const own = { ...request, hash: asSha256(randomBytes(32)), claimKey, amount };
  const payee = { is: 'address', text: 'alice@example.com', amount } as const;
  const to = {
    Arkade: () => evmArkadeDirection.create(context, { ...own, targetAddress: open.scene.client.address }, null),
    Lightning: () => evmLightningDirection.create(context, { ...request, payee }, null),
    Bitcoin: () => evmBitcoinDirection.create(context, { ...own, targetAddress: null }, null),
  };
  const record = given(await to[bitcoinOf(choice)]());
  const apart = 'network_fee_sats' in record ? record.network_fee_sats : 0;
  return { source: record.source_amount, target: record.target_amount, fees: record.fee_sats + apart };
}

const create = (context: ServiceContext, choice: Choice, gasless = true) =>
  choice.direction === 'to-token' ? toToken(context, choice, gasless) : fromToken(context, choice, gasless);

/** Either side pinned; amounts that nothing divides, so that each rounding shows. */
function choices(
  direction: Choice['direction'],
  token: EvmAddress,
  units: bigint,
  more: Partial<Choice> = {},
): Choice[] {
  const inSats = (pinned: Choice['pinned']) => (direction === 'to-token') === (pinned === 'source');
  return (['source', 'target'] as const).map((pinned) => ({
    direction,
    token,
    pinned,
    amount: inSats(pinned) ? 1_000_003n : units,
    ...more,
  }));
}

const dollars = 600_000_007n;
const fine = 10n ** 16n + 123_456_789n;

describe('what a client composes is what the create charges, and what /quote says', () => {
  it.each([
    ['Arkade to the pegged token of 8 decimals', wbtc, choices('to-token', wbtc, 1_000_003n)],
    ['Arkade to the pegged token of 18 decimals', tbtc, choices('to-token', tbtc, fine)],
    ['Arkade to a token of 6 decimals', wbtc, choices('to-token', usdc, dollars)],
    ['Arkade to a token of 6 decimals, pegged with 18', tbtc, choices('to-token', usdc, dollars)],
    ['Arkade to a token of 18 decimals', wbtc, choices('to-token', tbtc, fine)],
    ['Arkade to the native coin', wbtc, choices('to-token', zero, fine, { chain: '31' })],
    ['Arkade to USDC that goes on to another chain', wbtc, choices('to-token', usdc, dollars, { onward: base })],
    ['Lightning to the pegged token', wbtc, choices('to-token', wbtc, 1_000_003n, { bitcoinOn: 'Lightning' })],
    ['Lightning to a token of 6 decimals', tbtc, choices('to-token', usdc, dollars, { bitcoinOn: 'Lightning' })],
    ['Lightning to the native coin', wbtc, choices('to-token', zero, fine, { chain: '31', bitcoinOn: 'Lightning' })],
    ['Bitcoin to the pegged token', wbtc, choices('to-token', wbtc, 1_000_003n, { bitcoinOn: 'Bitcoin' })],
    ['Bitcoin to a token of 6 decimals', tbtc, choices('to-token', usdc, dollars, { bitcoinOn: 'Bitcoin' })],
    ['Bitcoin to the native coin', wbtc, choices('to-token', zero, fine, { chain: '31', bitcoinOn: 'Bitcoin' })],
    ['the pegged token to Arkade', wbtc, choices('from-token', wbtc, 1_000_003n, { bitcoinOn: 'Arkade' })],
    ['a token of 6 decimals to Arkade', tbtc, choices('from-token', usdc, dollars, { bitcoinOn: 'Arkade' })],
    ['the pegged token to Bitcoin', wbtc, choices('from-token', wbtc, 1_000_003n, { bitcoinOn: 'Bitcoin' })],
    ['a token of 6 decimals to Bitcoin', tbtc, choices('from-token', usdc, dollars, { bitcoinOn: 'Bitcoin' })],
    ['the pegged token of 8 decimals to Lightning', wbtc, choices('from-token', wbtc, 1_000_003n)],
    ['the pegged token of 18 decimals to Lightning', tbtc, choices('from-token', tbtc, fine)],
    ['a token of 6 decimals to Lightning', wbtc, choices('from-token', usdc, dollars)],
    ['a token of 18 decimals to Lightning', wbtc, choices('from-token', tbtc, fine)],
  ])('%s, either side pinned', async (_name, pegged, both) => {
    const context = await open.contextWith(pegged, [usdc, tbtc, wbtc], bridge);
    for (const choice of both) {
      const theirs = await composeAs(context, choice);
      expect(shown(given(await quoted(context, choice))), choice.pinned).toEqual(theirs);
      expect(await create(context, choice), choice.pinned).toEqual({
        source: theirs.netSource,
        target: theirs.netTarget,
        fees: Number(theirs.fee + theirs.networkFee),
      });
    }
  });
});

describe('with terms of its own for each direction, and a spread', () => {
  it.each([
    ['to-token', usdc, 'arkade-evm', [61, 100]],
    ['to-token', wbtc, 'arkade-evm', [61, 100]],
    ['from-token', usdc, 'evm-lightning', [10, 10]],
  ] as const)(
    '%s: what a client composes is still what the create charges',
    async (way, token, name, [least, most]) => {
      const plain = await open.contextWith(wbtc, [usdc]);
      const context: ServiceContext = {
        ...plain,
        networks: { ...plain.networks, arkadeFree: () => sats(450_000_000) },
        spreads: createSpreads(plain.runtime),
        config: {
          ...plain.config,
          terms: {
            ...plain.config.terms,
            directions: {
              'arkade-evm': { feeBps: 60, flatSats: 123, minSats: 100_000 },
              'evm-lightning': { feeBps: 10, flatSats: 45, maxSats: 5_000_000 },
            },
            inventory: { spreadBps: 40, belowShareBps: 2_500 },
          },
        },
      };
      for (const choice of choices(way, token, token === wbtc ? 1_000_003n : dollars)) {
        const theirs = await composeAs(context, choice);
        const answer = given(await quoted(context, choice));
        expect(shown(answer), choice.pinned).toEqual(theirs);
        expect(answer.protocol_fee_rate).toBeGreaterThanOrEqual(least / 10_000);
        expect(answer.protocol_fee_rate).toBeLessThanOrEqual(most / 10_000);
        expect([answer.min_amount >= 100_000, answer.max_amount <= 5_000_000]).toEqual([
          name === 'arkade-evm',
          name === 'evm-lightning',
        ]);
        expect(await create(context, choice), choice.pinned).toEqual({
          source: theirs.netSource,
          target: theirs.netTarget,
          fees: Number(theirs.fee + theirs.networkFee),
        });
      }
    },
  );
});

describe('without the relay', () => {
  it.each([
    ['to-token', usdc],
    ['from-token', usdc],
  ] as const)('%s: the create charges that part less, and never more', async (direction, token) => {
    const context = await open.contextWith(wbtc, [usdc]);
    for (const choice of choices(direction, token, dollars)) {
      const relay = given(await quoted(context, choice)).gasless_network_fee;
      const [relayed, alone] = [await create(context, choice), await create(context, choice, false)];
      expect(relay).toBeGreaterThan(0);
      expect(relayed.fees - alone.fees, choice.pinned).toBe(relay);
      if (choice.pinned === 'source') expect(BigInt(alone.target)).toBeGreaterThan(BigInt(relayed.target));
      else expect(BigInt(alone.source)).toBeLessThan(BigInt(relayed.source));
    }
  });
});

describe('a payout over Lightning', () => {
  it('is charged as its own quote says, either side pinned', async () => {
    const context = await open.contextWith(tbtc, [usdc]);
    for (const choice of choices('from-token', usdc, dollars)) {
      const { pinned, amount } = choice;
      const send = given(
        await lightningSendQuote(
          context,
          {
            sourceChain: '137',
            sourceToken: hex(usdc),
            sourceInSats: false,
            payee: {
              is: 'address',
              text: 'alice@example.com',
              amount: pinned === 'source' ? { pinned, amount: tokenAmount(amount) } : { pinned, amount: sats(amount) },
            },
            referralCode: null,
            extraFeesBps: 0,
          },
          null,
        ),
      );
      expect(await create(context, choice)).toEqual({
        source: send.source_amount,
        target: `${send.target_amount_sats}`,
        fees: send.protocol_fee_sats + send.network_fee_sats,
      });
    }
  });
});
