import { useEffect, useRef, useState } from 'react';
import { CallFailed } from '../../../engine/contract/client.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { amountText } from '../../format/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { useFree } from '../../stores/free.ts';
import { client, useRecords } from '../../stores/records.ts';
import { useReached } from '../../stores/reached.ts';
import { words } from '../../words/words.ts';
import type { Pay } from './pay.ts';

/** What came of the press; an unclear one by what was known of the swap then. */
type Pressed =
  | { readonly is: 'busy' | 'paying' }
  | { readonly is: 'refused'; readonly sentence: string }
  | { readonly is: 'unclear'; readonly before: TakerSwap };

/**
 * Pays from the wallet of this node. After a press that was taken there is none any more; after one that nobody
 * answered there is none until the node has said anew that the swap still waits for its payment.
 */
export function WalletPay({ swap, pay }: { swap: TakerSwap; pay: Pay }) {
  const free = useFree(pay.kind);
  const [pressed, setPressed] = useState<Pressed | null>(null);
  const latest = useRef(swap);
  useEffect(() => {
    latest.current = swap;
  }, [swap]);
  const reached = useReached();
  const unclear = pressed?.is === 'unclear' && pressed.before === swap;
  const press = async () => {
    setPressed({ is: 'busy' });
    try {
      await client().call('payTakerSwap', { params: { id: swap.id }, body: {} });
      setPressed({ is: 'paying' });
    } catch (error) {
      setPressed(
        error instanceof CallFailed && (error.status < 500 || error.status === 503)
          ? { is: 'refused', sentence: error.message }
          : { is: 'unclear', before: latest.current },
      );
    }
    await useRecords.getState().look();
  };
  return (
    <div className="stack">
      <div className="row">
        <Button
          kind="main"
          icon="wallet"
          busy={pressed?.is === 'busy' || pressed?.is === 'paying' || unclear}
          notYet={reached ? null : words.parts.notWhileAway}
          onPress={() => void press()}
        >
          {words.oneSwap.payFromWallet}
        </Button>
        <span className="sub num" role="status">
          {pressed?.is === 'paying' ? words.oneSwap.walletPays : free === null ? null : holds(free)}
        </span>
      </div>
      {pressed?.is === 'refused' ? (
        <Note tone="need" alert>
          {pressed.sentence}
        </Note>
      ) : null}
      {unclear ? (
        <Note tone="need" alert>
          {words.oneSwap.walletUnclear}
        </Note>
      ) : null}
    </div>
  );
}

function holds(free: string): string {
  return words.oneSwap.walletHolds(amountText({ amount: free, decimals: 0, symbol: 'sats' }));
}
