import { amountText, figureText } from '../../format/amount.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { Button } from '../../parts/button.tsx';
import { Offer } from '../../parts/field.tsx';
import { Picker } from '../../parts/picker.tsx';
import { useMostPaid } from '../../stores/free.ts';
import { Fiat } from '../display/shown.tsx';
import { words } from '../../words/words.ts';
import { keyOfAsset, leastOf, mostOf, optionsOf, turned, pairWith, type Pair } from './assets.ts';
import { limitBreach, mostGiven, otherText, type FormState } from './form-state.ts';
import type { Ask, Priced, Side } from './quote.ts';

interface Deal {
  readonly pairs: readonly Pair[];
  readonly state: FormState;
  readonly ask: Ask | null;
  readonly priced: Priced | null;
  readonly trouble: string | null;
  readonly onPair: (pair: Pair) => void;
  readonly onText: (side: Side, text: string) => void;
}

/** Both amounts, either of which may be typed, and the arrow that turns them around. */
export function GiveAndGet(deal: Deal) {
  const back = turned(deal.pairs, deal.state.pair);
  return (
    <>
      <SideField side="give" {...deal} />
      <div className="flip">
        <Button
          icon="swap"
          name={words.swap.turn}
          onPress={() => {
            if (back !== null) deal.onPair(back);
          }}
        />
      </div>
      <SideField side="get" {...deal} />
    </>
  );
}

function SideField({ side, ...deal }: Deal & { side: Side }) {
  const { pairs, state, ask, priced, trouble, onPair, onText } = deal;
  const asset = state.pair[side];
  const byInvoice = state.destination.is === 'invoice' && state.pair.get.network === 'lightning';
  const typed = state.side === side && !byInvoice;
  const fixed = ask?.side ?? state.side;
  const wrong = fixed === side ? problem(deal, side) : null;
  return (
    <AmountField
      label={words.swap[side]}
      aside={byInvoice && side === 'get' ? words.swap.invoiceSays : undefined}
      text={typed ? state.text : otherText(ask, priced, side)}
      onText={(text) => onText(side, text)}
      readOnly={byInvoice}
      placeholder={words.swap.noQuote}
      asset={
        <Picker
          purpose={words.swap[side]}
          value={keyOfAsset(asset)}
          options={optionsOf(pairs, side)}
          onPick={(picked) => onPair(pairWith(pairs, side, picked, state.pair))}
        />
      }
      error={wrong}
      hint={
        <>
          <span className="hint">
            {priced === null || fixed !== side ? (
              fixed === side ? (
                trouble
              ) : null
            ) : (
              <Limits {...deal} priced={priced} side={side} />
            )}
          </span>
          {asset.decimals > 0 || priced === null ? null : <Fiat sats={priced[side]} />}
          {asset.less === null || priced === null ? null : (
            <span className="hint">
              {side === 'give'
                ? words.swap.givesAtMost(amountText({ ...asset, amount: mostOf(asset, priced.give) }))
                : words.swap.arrivesAtLeast(amountText({ ...asset, amount: leastOf(asset, priced.get) }))}
            </span>
          )}
          {side === 'give' && !byInvoice ? <UseAll pair={state.pair} onText={onText} priced={priced} /> : null}
        </>
      }
    />
  );
}

function Limits({ priced, onText, side, state }: Deal & { priced: Priced; side: Side }) {
  const { decimals } = state.pair[side];
  if (decimals > 0) return null;
  const offer = (amount: number) => {
    const figure = figureText(String(amount), decimals);
    return <Offer onPress={() => onText(side, figure)}>{figure}</Offer>;
  };
  return (
    <>
      {words.swap.from} {offer(priced.least)} {words.swap.to} {offer(priced.most)}
    </>
  );
}

/** What is wrong with what was typed, and the nearest that would do. */
function problem({ state, ask, priced, onText }: Deal, side: Side) {
  const asset = state.pair[side];
  if (ask === null) return state.text.trim() === '' ? null : words.swap.noAmount;
  const breach = limitBreach(ask, priced);
  if (breach === null) return null;
  const nearest = { amount: breach.nearest, decimals: 0, symbol: 'sats' };
  const says = words.swap[breach.is](amountText(nearest));
  if (asset.decimals > 0) return says;
  return (
    <>
      {says}{' '}
      <Offer onPress={() => onText(side, figureText(nearest.amount, nearest.decimals))}>
        {words.swap.use(figureText(nearest.amount, nearest.decimals))}
      </Offer>
    </>
  );
}

/** All that lies free in the wallet it is paid from, as far as one swap can take it. */
function UseAll({ pair, priced, onText }: { pair: Pair; priced: Priced | null; onText: Deal['onText'] }) {
  const free = useMostPaid(pair.give);
  if (free === null || free === '0') return null;
  const figure = figureText(mostGiven(pair, free, priced), pair.give.decimals);
  return (
    <Offer onPress={() => onText('give', figure)}>
      <span className="hint">{words.swap.useAll(figure)}</span>
    </Offer>
  );
}
