import { lazy, Suspense, useState, type ReactNode } from 'react';
import { isEvm } from '../../../engine/domain/chain.ts';
import { amountText } from '../../format/amount.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { goTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { evmPart, leastOf, mostOf, pairAmong, type Pair } from './assets.ts';
import { recognise, type Destination } from './destination.ts';
import { askOf, carried, firstText, fixedSide, limitBreach, missing, needs, type FormState } from './form-state.ts';
import { GiveAndGet } from './give-and-get.tsx';
import { PayButton } from './pay-button.tsx';
import { payeeBreach, placeOf, usePayee } from './payee.ts';
import type { Elsewhere } from './providers.tsx';
import { keyOf, usePrice, type Priced } from './quote.ts';
import { SendTo } from './send-to.tsx';
import { SwapCosts } from './swap-costs.tsx';
import { WhatIf } from './what-if.tsx';

/** With whom, once it is there: the form works with this node alone. */
const Providers = lazy(() =>
  import('./providers.tsx').then(
    (loaded) => ({ default: loaded.Providers }),
    () => ({ default: (): ReactNode => null }),
  ),
);

/** Everything once more, before anything is made: read at the last step, and fetched for it. */
const Review = lazy(() => import('./review.tsx').then((loaded) => ({ default: loaded.Review })));

/** What the create says of the EVM chain of either side, and of where it goes. */
function target(pair: Pair, destination: Destination) {
  const evm = [pair.give, pair.get].find(({ network }) => isEvm(network));
  const chain = evm === undefined ? {} : evmPart(evm);
  if (needs(pair) === 'evm' && destination.is === 'evm') return { ...chain, target_address: destination.text };
  if (needs(pair) !== 'invoice') return chain;
  return destination.is === 'invoice' ? { ...chain, invoice: destination.text } : { ...chain, ...placeOf(destination) };
}

/** The swap as it was agreed to, and its own page. */
async function make({ pair, destination }: FormState, agreed: Priced): Promise<void> {
  const { id } = await client().call('createTakerSwap', {
    body: {
      direction: pair.direction,
      amount_sats: Number(agreed[fixedSide(pair)]),
      ...target(pair, destination),
      ...(agreed.provider === '' ? {} : { provider_url: agreed.provider }),
      most_source_amount: mostOf(pair.give, agreed.give),
      least_target_amount: leastOf(pair.get, agreed.get),
    },
  });
  await useRecords.getState().look();
  goTo('swaps', id);
}

/** The price of this node, or of the provider that was chosen or is better. */
function useShownPrice(ask: ReturnType<typeof askOf>) {
  const own = usePrice(ask);
  const key = ask === null ? '' : keyOf(ask);
  const [choice, setChoice] = useState<string | null>(null);
  const [elsewhere, setElsewhere] = useState<Elsewhere | null>(null);
  // This node's price is there first; it is not shown for another provider that was chosen.
  const match = elsewhere?.key === key && (choice ?? elsewhere.provider) === elsewhere.provider ? elsewhere : null;
  const provider = choice ?? match?.provider ?? '';
  const { priced, trouble } = provider === '' ? own : { priced: match?.priced ?? null, trouble: null };
  return { key, choice, setChoice, setElsewhere, match, priced, trouble };
}

/** Why nothing can be made of what is filled in; null where something can. */
function whyNotNow(
  state: FormState,
  ask: ReturnType<typeof askOf>,
  priced: Priced | null,
  { payee, beyond }: { readonly payee: ReturnType<typeof usePayee>; readonly beyond: ReturnType<typeof payeeBreach> },
) {
  const { whyNot } = words.swap;
  const unheard = placeOf(state.destination) !== null && payee.range === null;
  return missing(state, ask, priced) ?? (unheard ? whyNot.payee : beyond === null ? null : whyNot.limits);
}

export function SwapForm({
  pairs: offers,
  first,
  sats,
}: {
  pairs: readonly Pair[];
  first: Pair;
  sats: string | undefined;
}) {
  const [chosen, setChosen] = useState(first);
  const [side, setSide] = useState<FormState['side']>('give');
  const [text, setText] = useState(() => firstText(first, sats));
  const [pasted, setPasted] = useState('');
  const [reviewed, setReviewed] = useState<Priced | null>(null);
  // What was typed is in the unit of what was chosen: a pair that cannot be taken now stays, and is not exchanged for
  // another.
  const offered = pairAmong(offers, chosen);
  const pair = offered ?? chosen;
  const pairs = offered === null ? [chosen, ...offers] : offers;
  const network = useRecords((records) => records.status?.network ?? null);
  const state: FormState = { pair, side, text, destination: recognise(pasted, network) };
  const ask = offered === null ? null : askOf(state);
  const { key, choice, setChoice, setElsewhere, match, priced, trouble } = useShownPrice(ask);
  const payee = usePayee(state.destination);
  const beyond = payeeBreach(payee, pair.get.network === 'lightning' ? (priced?.get ?? null) : null);
  const why = offered === null ? words.swap.whyNot.direction : whyNotNow(state, ask, priced, { payee, beyond });

  const choose = (next: Pair) => {
    setChosen(next);
    const typed = carried(state, next, priced);
    setSide(typed.side);
    setText(typed.text);
    if (needs(next) !== needs(pair)) setPasted('');
  };

  if (reviewed !== null)
    return (
      <Suspense fallback={null}>
        <Review
          pair={pair}
          priced={reviewed}
          terms={match?.row ?? null}
          destination={state.destination}
          make={() => make(state, reviewed)}
          onBack={() => setReviewed(null)}
        />
      </Suspense>
    );

  return (
    <>
      <PageHead title={words.swap.title} lead={words.swap.lead} />
      <div className="cols">
        <form className="stack" aria-label={words.swap.title} onSubmit={(event) => event.preventDefault()}>
          <div className="panel deal">
            <GiveAndGet
              pairs={pairs}
              state={state}
              ask={ask}
              priced={priced}
              trouble={trouble}
              onPair={choose}
              onText={(onSide, next) => {
                setSide(onSide);
                setText(next);
              }}
            />
            <SendTo
              pairs={pairs}
              state={state}
              pasted={pasted}
              payee={payee}
              beyond={beyond}
              onArrives={(next) => {
                setSide('get');
                setText(next);
              }}
              amount={limitBreach(ask, priced) === null ? (priced?.get ?? null) : null}
              onPaste={(next, follow) => {
                if (follow !== null) choose(follow);
                setPasted(next);
              }}
            />
          </div>
          <div className="px-1">
            {priced === null ? null : <SwapCosts pair={pair} priced={priced} />}
            {pair.get.network === 'bitcoin' ? <p className="hint mt-2">{words.swap.claimFee}</p> : null}
            {ask === null ? null : (
              <Suspense fallback={null}>
                <Providers ask={ask} choice={choice} onChoose={setChoice} onElsewhere={setElsewhere} />
              </Suspense>
            )}
          </div>
          <PayButton pair={pair} question={`${key} ${String(choice)}`} priced={priced} why={why} review={setReviewed} />
        </form>
        <WhatIf
          pair={pair}
          give={priced === null ? null : amountText({ ...pair.give, amount: priced.give })}
          cases={match?.row.cases ?? null}
        />
      </div>
    </>
  );
}
