import { Fragment } from 'react';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { amountText, figureText, shown } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { sidesOf } from '../../format/sides.ts';
import { spanText } from '../../format/span.ts';
import { Mark } from '../../parts/brand.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Destination } from '../../parts/destination.tsx';
import { Ruled, type CostPart } from '../../parts/costs.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { Fiat } from '../display/shown.tsx';
import { SwapFacts } from './swap-details.tsx';

/** Did it arrive, what did it cost. */
export function Receipt({ swap }: { swap: TakerSwap }) {
  const get = shown(swap.get);
  const arrived = arrivedAt(swap);
  return (
    <div className="receipt">
      <a className="crumb" href={hrefTo('activity')}>
        <Icon name="left" />
        {words.oneSwap.back}
      </a>
      <article className="panel" aria-labelledby="arrived">
        <div className="flex items-start justify-between gap-3">
          <div>
            <p role="status">
              <Status tone="safe">{words.oneSwap.arrived}</Status>
            </p>
            <h1 id="arrived" className="fig big mt-2">
              <Groups text={figureText(get.amount, get.decimals)} /> <small>{get.symbol}</small>
            </h1>
            {get.decimals === 0 ? <Fiat sats={get.amount} /> : null}
            <p className="sub mt-2">
              {words.oneSwap.onBare} {networkName(swap.get.network)}, <Moment at={arrived} />
            </p>
          </div>
          <span className="gatemark flex-none">
            <Mark />
          </span>
        </div>
        {swap.reason === null ? null : <p className="sub mt-4">{words.oneSwap.reasons[swap.reason]}</p>}
        <Ruled className="mt-7" rows={rowsOf(swap, arrived)} sum={sumOf(swap)} />
        <div className="row mt-6">
          <ButtonLink kind="main" icon="swap" href={hrefTo('swap')}>
            {words.oneSwap.again}
          </ButtonLink>
          <Button icon="down" onPress={() => save(swap, arrived)}>
            {words.oneSwap.save}
          </Button>
        </div>
      </article>
      <section className="section" aria-labelledby="proof">
        <h2 id="proof">{words.oneSwap.proof}</h2>
        <div className="mt-3">
          <SwapFacts swap={swap} />
        </div>
      </section>
    </div>
  );
}

/** Where a figure is longer than the line, it breaks between its thousands. */
function Groups({ text }: { text: string }) {
  return text.split(',').map((group, place) => (
    <Fragment key={place}>
      {place === 0 ? null : (
        <>
          ,<wbr />
        </>
      )}
      {group}
    </Fragment>
  ));
}

function arrivedAt({ steps, updated }: TakerSwap): number {
  return steps.find(({ step }) => step === 'finished')?.time ?? updated;
}

function rowsOf(swap: TakerSwap, arrived: number): CostPart[] {
  const sides = sidesOf(swap);
  const paid = swap.steps.find(({ step }) => step === 'pay')?.time ?? null;
  return [
    { key: 'to', label: words.oneSwap.arrivesAt, amount: <Destination swap={swap} /> },
    { key: 'gave', label: words.oneSwap.gave, amount: words.oneSwap.amountOn(sides.give, sides.giveOn) },
    ...(paid === null || arrived < paid
      ? []
      : [{ key: 'took', label: words.oneSwap.took, amount: spanText(Math.max(1, arrived - paid)) }]),
    ...swap.costs.map(({ part, sats }) => ({
      key: part,
      label: words.oneSwap.costs[part],
      amount: amountText({ amount: String(sats), decimals: 0, symbol: 'sats' }),
    })),
    ...(swap.get.network === 'bitcoin'
      ? [{ key: 'claim', label: words.oneSwap.claimFee, amount: words.oneSwap.claimFeeMeans }]
      : []),
  ];
}

function sumOf({ costs }: TakerSwap): CostPart | undefined {
  if (costs.length === 0) return undefined;
  const total = costs.reduce((sum, { sats }) => sum + BigInt(sats), 0n);
  return {
    key: 'all',
    label: words.oneSwap.allCosts,
    amount: amountText({ amount: String(total), decimals: 0, symbol: 'sats' }),
  };
}

/** The receipt as text, the record behind it for who wants to check. */
function save(swap: TakerSwap, arrived: number): void {
  const to = swap.to.own ? words.oneSwap.ownWalletOn(networkName(swap.get.network)) : (swap.to.text ?? '');
  const rows = rowsOf(swap, arrived).map(
    ({ key, label, amount }) => `${String(label)}: ${key === 'to' ? to : String(amount)}`,
  );
  const text = [amountText(swap.get), ...rows, '', JSON.stringify(swap, null, 2), ''].join('\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = `sluice-${swap.id}.txt`;
  link.click();
  URL.revokeObjectURL(link.href);
}
