import type { ReactNode } from 'react';
import type { TakerQuote } from '../../../engine/contract/taker-quotes.ts';
import { amountText } from '../../format/amount.ts';
import { hostOf } from '../../format/host.ts';
import { networkName } from '../../format/networks.ts';
import { spanText } from '../../format/span.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button } from '../../parts/button.tsx';
import { Ruled, type CostPart } from '../../parts/costs.tsx';
import { Place } from '../../parts/destination.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { providerWords } from '../../words/providers.ts';
import { reviewWords as words } from '../../words/review.ts';
import { Fiat } from '../display/shown.tsx';
import { leastOf, mostOf, type Asset, type Pair } from './assets.ts';
import type { Destination } from './destination.ts';
import { needs } from './form-state.ts';
import type { Priced } from './quote.ts';
import { SwapCosts } from './swap-costs.tsx';

/** From, to, how much, what arrives at least, every cost, until when, and the way back; then one press. */
export function Review({
  pair,
  priced,
  terms,
  destination,
  make,
  onBack,
}: {
  pair: Pair;
  priced: Priced;
  /** What the node says of its times; null while no provider was asked for more than the price. */
  terms: TakerQuote | null;
  destination: Destination;
  make: () => Promise<void>;
  onBack: () => void;
}) {
  const give = amountText({ ...pair.give, amount: mostOf(pair.give, priced.give) });
  const rows: CostPart[] = [
    row(
      'from',
      words.from,
      <Worth of={pair.give} amount={priced.give}>
        {words.on(pair.give.less === null ? give : words.atMost(give), networkName(pair.give.network))}
      </Worth>,
    ),
    row(
      'to',
      words.to,
      <Worth of={pair.get} amount={priced.get}>
        {words.on(getsText(pair, priced), networkName(pair.get.network))}
      </Worth>,
    ),
    row('least', words.least, leastText(pair, priced)),
    row('destination', words.destination, <Goes pair={pair} destination={destination} />),
    row('provider', words.provider, priced.provider === '' ? providerWords.thisNode : hostOf(priced.provider)),
    row(
      'deadline',
      words.deadline,
      terms === null || terms.pay_seconds === null ? words.byInvoice : words.within(spanText(terms.pay_seconds)),
    ),
    row('back', words.wayBack, backText(pair, terms?.worst_seconds ?? null)),
  ];
  return (
    <>
      <PageHead title={words.title} lead={words.lead} />
      <div className="panel max-w-3xl" data-testid="review">
        <Ruled rows={rows} />
        <div className="mt-4">
          <SwapCosts pair={pair} priced={priced} open />
        </div>
        <div className="row mt-6">
          <ActButton kind="main" size="tall" act={make}>
            {words.make(give)}
          </ActButton>
          <Button onPress={onBack}>{words.back}</Button>
        </div>
      </div>
    </>
  );
}

function row(key: string, label: string, amount: ReactNode): CostPart {
  return { key, label, amount };
}

/** Sats in the owner's currency beside them. */
function Worth({ of, amount, children }: { of: Asset; amount: string; children: string }) {
  return (
    <>
      {children} {of.decimals === 0 ? <Fiat sats={amount} /> : null}
    </>
  );
}

function getsText({ get }: Pair, priced: Priced): string {
  const amount = amountText({ ...get, amount: priced.get });
  return get.less === null ? amount : words.about(amount);
}

function leastText({ get }: Pair, priced: Priced): string {
  const least = amountText({ ...get, amount: leastOf(get, priced.get) });
  if (get.less !== null) return words.tokenInstead(least);
  return get.network === 'bitcoin' ? words.claimFee(least) : least;
}

function Goes({ pair, destination }: { pair: Pair; destination: Destination }) {
  if (needs(pair) === null || !('text' in destination)) return words.own(networkName(pair.get.network));
  return <Place text={destination.text} />;
}

function backText({ give }: Pair, seconds: number | null): string {
  const place = words.places[give.network in words.places ? (give.network as keyof typeof words.places) : 'evm'];
  const text = seconds === null ? words.backItself(place) : words.backWithin(place, spanText(seconds));
  return give.less === null ? text : words.backInstead(text);
}
