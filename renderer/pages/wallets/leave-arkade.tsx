import { useState } from 'react';
import { figureText } from '../../format/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { useReached } from '../../stores/reached.ts';
import { client } from '../../stores/records.ts';
import { words } from '../../words/words.ts';
import type { Holding } from './holdings.ts';

/** The way out that needs nobody: for an operator that is gone. */
export function LeaveArkade({ holding }: { holding: Holding | null }) {
  const reached = useReached();
  const [asking, setAsking] = useState(false);
  const { busy, outcome, run } = useActing();
  // Only an operator that answers says that there is nothing.
  const empty = holding !== null && holding.asOf === null && holding.free === '0' && holding.underWay === '0';
  const leave = async () => {
    setAsking(false);
    await run('leave', async () => {
      const { jobs } = await client().call('walletExit', { params: { network: 'arkade' } });
      const sum = jobs.reduce((total, { amount }) => total + amount, 0);
      return jobs.length === 0
        ? words.wallets.leaveNone
        : words.wallets.leaving(jobs.length, `${figureText(String(sum), 0)} sats`);
    });
  };
  return (
    <section className="section" aria-labelledby="leave">
      <h2 id="leave">{words.wallets.leave}</h2>
      <p className="prose sub mt-1 mb-3">{words.wallets.leaveLead}</p>
      <Button
        kind="hurt"
        busy={busy !== null}
        notYet={!reached ? words.parts.notWhileAway : empty ? words.wallets.leaveEmpty : null}
        onPress={() => setAsking(true)}
      >
        {words.wallets.leave}
      </Button>
      <Outcome outcome={outcome} />
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={words.wallets.leaveTitle}
        actions={
          <>
            <Button onPress={() => setAsking(false)}>{words.wallets.cancel}</Button>
            <Button kind="hurt" onPress={() => void leave()}>
              {words.wallets.leaveNow}
            </Button>
          </>
        }
      >
        <p>{words.wallets.leaveMeans}</p>
      </Dialog>
    </section>
  );
}
