import { useEffect, useState } from 'react';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { CallFailed } from '../../../engine/contract/client.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty, Loading } from '../../parts/empty.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { SwapLabelSection } from '../labels/swap-label.tsx';
import { Ended } from './ended.tsx';
import { Funding } from './funding.tsx';
import { Progress } from './progress.tsx';
import { Receipt } from './receipt.tsx';

/** One swap, on the screen that its phase asks for. */
export function OneSwapPage({ rest: [id = ''] }: { rest: readonly string[] }) {
  const { swap, missing } = useOneSwap(id);
  if (missing)
    return (
      <Empty
        alone
        icon="search"
        title={words.oneSwap.notThere}
        action={<ButtonLink href={hrefTo('swap')}>{words.shell.toSwap}</ButtonLink>}
      >
        {words.oneSwap.notThereMeans}
      </Empty>
    );
  if (swap === null) return <Loading />;
  return (
    <div data-phase={swap.phase} data-outcome={swap.outcome ?? ''}>
      <Screen swap={swap} />
      <SwapLabelSection key={swap.id} id={swap.id} label={swap.label} note={swap.note} />
    </div>
  );
}

/** What is shown of it, by what it is now. */
export function Screen({ swap }: { swap: TakerSwap }) {
  if (swap.outcome === 'finished') return <Receipt swap={swap} />;
  if (swap.phase === 'over') return <Ended swap={swap} />;
  return swap.phase === 'pay' && swap.pay !== null ? <Funding swap={swap} pay={swap.pay} /> : <Progress swap={swap} />;
}

/** Read anew with every change that the node tells of; what was read last stays while it does not answer. */
function useOneSwap(id: string): { swap: TakerSwap | null; missing: boolean } {
  const changes = useRecords((state) => state.changes);
  const [read, setRead] = useState<{ readonly swap: TakerSwap | null; readonly missing: boolean }>({
    swap: null,
    missing: false,
  });
  useEffect(() => {
    let stale = false;
    client()
      .call('takerSwap', { params: { id } })
      .then((swap) => (stale ? undefined : setRead({ swap, missing: false })))
      .catch((error: unknown) => {
        if (!stale && error instanceof CallFailed && error.status === 404) setRead({ swap: null, missing: true });
      });
    return () => {
      stale = true;
    };
  }, [id, changes]);
  return read.swap === null || read.swap.id === id ? read : { swap: null, missing: false };
}
