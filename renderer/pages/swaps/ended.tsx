import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { TakerOutcome } from '../../../engine/domain/taker.ts';
import { shortText } from '../../format/amount.ts';
import { plainText } from '../../format/plain.ts';
import { sidesOf } from '../../format/sides.ts';
import { comesBackOf } from '../../records/payment.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { SwapDetails } from './swap-details.tsx';
import { SwapHead } from './swap-head.tsx';
import { SwapSteps } from './swap-steps.tsx';

/** It is over and nothing arrived: what became of the money, and why. */
export function Ended({ swap }: { swap: TakerSwap }) {
  const outcome = swap.outcome ?? 'unpaid';
  const sides = sidesOf(swap);
  const title =
    words.oneSwap.overTitle[outcome === 'returned' && swap.give.network === 'lightning' ? 'notFinished' : outcome];
  return (
    <>
      <SwapHead
        swap={swap}
        title={typeof title === 'string' ? title : title(outcome === 'lost' ? sides.get : shortText(comesBackOf(swap)))}
      />
      <Note
        tone={outcome === 'lost' ? 'danger' : outcome === 'returned' ? 'safe' : 'wait'}
        title={swap.reason === null ? undefined : words.oneSwap.reasons[swap.reason]}
      >
        {sentenceOf(swap, outcome)}{' '}
        {swap.detail === null || swap.reason !== 'provider-refused'
          ? null
          : words.oneSwap.providerSaid(plainText(swap.detail))}
      </Note>
      <section className="section" aria-label={words.oneSwap.steps}>
        <SwapSteps swap={swap} />
      </section>
      <div className="row mt-8">
        {outcome === 'lost' ? (
          <ButtonLink kind="main" icon="list" href={hrefTo('logs', swap.id)}>
            {words.oneSwap.report}
          </ButtonLink>
        ) : (
          <ButtonLink kind="main" icon="swap" href={hrefTo('swap')}>
            {words.oneSwap.again}
          </ButtonLink>
        )}
      </div>
      <SwapDetails swap={swap} />
    </>
  );
}

function sentenceOf({ give, paid }: TakerSwap, outcome: TakerOutcome): string {
  if (outcome === 'unpaid' && paid.state !== 'none') return words.oneSwap.over.unseen;
  return words.oneSwap.over[outcome === 'returned' ? placeOf(give.network) : outcome];
}

/** Where what came back lies now. */
function placeOf(network: string): 'returned' | 'returnedByChain' | 'returnedByItself' | 'returnedToAccount' {
  if (network === 'lightning') return 'returnedByItself';
  if (network === 'bitcoin') return 'returnedByChain';
  return network.startsWith('evm:') ? 'returnedToAccount' : 'returned';
}
