import { useState } from 'react';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { useReached } from '../../stores/reached.ts';
import { client } from '../../stores/records.ts';
import { words } from '../../words/words.ts';

/** Gives up a swap that nothing was seen to be paid for; the node judges that once more. */
export function Cancel({ swap: { id, paid } }: { swap: TakerSwap }) {
  const [asking, setAsking] = useState(false);
  const { busy, outcome, run } = useActing();
  const reached = useReached();
  if (paid.state !== 'none') return null;
  const cancel = async () => {
    setAsking(false);
    await run('cancel', async () => {
      await client().call('cancelTakerSwap', { params: { id }, body: {} });
      return words.oneSwap.neverPaid;
    });
  };
  return (
    <div>
      <Button
        kind="quiet"
        busy={busy !== null}
        notYet={reached ? null : words.parts.notWhileAway}
        onPress={() => setAsking(true)}
      >
        {words.oneSwap.cancel}
      </Button>
      <Outcome outcome={outcome} />
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={words.oneSwap.cancelTitle}
        actions={
          <>
            <Button onPress={() => setAsking(false)}>{words.oneSwap.cancelKeep}</Button>
            <Button kind="hurt" onPress={() => void cancel()}>
              {words.oneSwap.cancelNow}
            </Button>
          </>
        }
      >
        <p>
          {words.oneSwap.cancelMeans} {words.oneSwap.cancelAsk}
        </p>
      </Dialog>
    </div>
  );
}
