import { tokenAmount } from '../../../engine/domain/money.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { dexQuote } from '../../../engine/service/market/dex.ts';
import { chainConfig } from '../../../engine/service/market/lists.ts';
import { fees, pairs } from '../../../engine/service/price/quotes.ts';
import { composed, type Composition } from '../../quote/composer.ts';
import { bitcoinOf, given, hex, type Choice } from './context.ts';

/** As published clients do it: from the lists and `/dex-quote`, and from nothing else (facts/clients.md 39 to 41). */
export async function composeAs(context: ServiceContext, choice: Choice): Promise<Composition> {
  const { direction, token, chain = '137', pinned, amount, onward } = choice;
  const pivot = chainConfig(context).chains.find((one) => one.chain === chain)?.btc_pegged_token;
  const [source, target] = direction === 'to-token' ? [bitcoinOf(choice), chain] : [chain, bitcoinOf(choice)];
  const same = (pair: { source: string; target: string }) => pair.source === source && pair.target === target;
  const pair = pairs(context).pairs.find(same);
  const fee = fees(context).pairs.find(same);
  if (pivot === undefined || pair === undefined || fee === undefined) throw new Error('the pair is not listed');
  const scale = 10n ** BigInt(pivot.decimals - 8);
  const inSats = (direction === 'to-token') === (pinned === 'source');
  let bitcoin = inSats ? amount : amount / scale;
  let units = inSats ? amount * scale : amount;
  let { decimals } = pivot;
  let bridgeFee = 0n;
  if (pivot.address !== hex(token)) {
    const of = (address: string, chainId = Number(chain)) => ({ kind: 'evm' as const, chainId, address });
    const there = onward === undefined ? of(hex(token)) : of(onward.usdc, onward.chainId);
    const answer = given(
      await dexQuote(context, {
        ...(direction === 'to-token'
          ? { from: of(pivot.address), to: there }
          : { from: of(hex(token)), to: of(pivot.address) }),
        pinned: pinned === 'source' ? 'in' : 'out',
        amount: tokenAmount(inSats ? amount * scale : amount),
        slippageBps: 100,
        recipientSetup: false,
      }),
    );
    const [ofPivot, ofToken] =
      direction === 'to-token'
        ? [answer.expected_amount_in, answer.estimated_amount_out]
        : [answer.estimated_amount_out, answer.expected_amount_in];
    units = BigInt(ofToken.raw);
    ({ decimals } = ofToken);
    bridgeFee = BigInt(answer.bridge_fee ?? '0');
    if (!inSats) bitcoin = BigInt(ofPivot.raw) / scale;
  }
  const composition = composed({
    direction,
    pinned,
    sats: bitcoin,
    token: units,
    tokenDecimals: decimals,
    bridgeFee,
    feeFraction: pair.fee_percentage,
    networkFee: BigInt(fee.fees.source_sats + fee.fees.target_sats + pair.network_fee_sats),
  });
  // Nothing is exchanged for a pegged token: what is cut off to whole sats is no price of it.
  return pivot.address === hex(token) ? { ...composition, exchangeRate: '1' } : composition;
}
