import { useEffect, useState } from 'react';
import { Empty, Loading } from '../../parts/empty.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { useRoute } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { firstOf, pairBetween, pairsOf, type Pair } from './assets.ts';
import { SwapForm } from './swap-form.tsx';

const renewMs = 15_000;

/** What is swapped into what, at which price, and what can happen. */
export function SwapPage() {
  const pairs = usePairs();
  // What a page that advises a swap begins it with.
  const [, give = '', get = '', sats] = useRoute();
  if (pairs === null)
    return (
      <>
        <PageHead title={words.swap.title} lead={words.swap.lead} />
        <Loading />
      </>
    );
  const first = pairBetween(pairs, give, get) ?? firstOf(pairs);
  if (first === undefined)
    return (
      <Empty alone icon="swap" title={words.swap.nothingOffered}>
        {words.swap.nothingOfferedMeans}
      </Empty>
    );
  return <SwapForm pairs={pairs} first={first} sats={first.give.network === give ? sats : undefined} />;
}

/** What can be swapped now; null before it was read for the first time. */
function usePairs(): readonly Pair[] | null {
  const [pairs, setPairs] = useState<readonly Pair[] | null>(null);
  const connection = useRecords((state) => state.connection);
  useEffect(() => {
    let stale = false;
    const look = async () => {
      try {
        const read = pairsOf(await client().call('takerWays'));
        if (!stale) setPairs(read);
      } catch {
        // What was read last stays; the frame says that the node does not answer.
      }
    };
    void look();
    const timer = setInterval(() => void look(), renewMs);
    return () => {
      stale = true;
      clearInterval(timer);
    };
  }, [connection]);
  return pairs;
}
