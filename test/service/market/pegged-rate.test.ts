import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { noSats } from '../../../engine/domain/money.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import type { Direction } from '../../../engine/service/directions/direction.ts';
import { tokenSend } from '../../../engine/service/market/send.ts';
import { tokenQuote } from '../../../engine/service/market/token-quote.ts';

/* A token of 18 decimals whose amount is no whole number of sats. */

const token = { address: asEvmAddress(new Uint8Array(20).fill(9)), decimals: 18, symbol: 'PEG', name: 'Pegged' };
const market = { chainId: 137, pegged: token, dex: null, bridge: null, slippageBps: 50 };
const context = {
  markets: { on: () => market, token: () => Promise.resolve(token) },
} as unknown as ServiceContext;
const name = `0x${'09'.repeat(20)}`;
const rate = { bps: 25, flat: noSats, networkFee: noSats };
const amount = 1_000_009_999_999_999n;

async function rateOfQuote(source: string, target: string, pinned: 'source' | 'target'): Promise<unknown> {
  const [from, to] = [source, target].map((token) => ({ chain: token === 'btc' ? 'Arkade' : '137', token }));
  const direction = { source: source === 'btc' ? 'arkade' : 'evm', target: target === 'btc' ? 'arkade' : 'evm' };
  const request = { source: from, target: to, amount: { pinned, amount }, bridgeSource: null, bridgeTarget: null };
  const quoted = await tokenQuote(context, direction as Direction, 'evm:137', request as never, rate);
  return 'refusal' in quoted ? quoted.sentence : quoted.exchange_rate;
}

test('a pegged token has the rate 1, also for an amount that is cut off to whole sats', async () => {
  const request = { payee: { is: 'address', amount: { pinned: 'source', amount } }, sourceToken: name };
  const send = await tokenSend(context, 'evm:137', { ...request, sourceInSats: false } as never, rate);
  expect([
    await rateOfQuote('btc', name, 'target'),
    await rateOfQuote(name, 'btc', 'source'),
    'refusal' in send ? send.sentence : send.exchangeRate,
  ]).toEqual(['1', '1', '1']);
});
