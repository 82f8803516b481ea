import { useState } from 'react';
import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/empty.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useActing } from '../../stores/acting.ts';
import { client, useRecords } from '../../stores/records.ts';
import { sandboxWords } from '../../words/sandbox-words.ts';
import { BadLuck } from './bad-luck.tsx';
import { ClockPanel } from './clock-panel.tsx';
import { Faucets } from './faucets.tsx';
import { Miners } from './miners.tsx';
import { OutsideWallet } from './outside-wallet.tsx';

/** Everybody who is not the node, at the owner's fingers. */
export function SandboxPage() {
  const world = useRecords((state) => state.sandbox);
  return (
    <>
      <PageHead title={sandboxWords.title} lead={sandboxWords.lead}>
        <StartOver />
      </PageHead>
      {world === null ? <Loading rows={8} /> : <Controls world={world} />}
    </>
  );
}

function Controls({ world }: { world: SandboxWorld }) {
  return (
    <>
      <ClockPanel world={world} />
      <div className="halves section">
        <div>
          <Faucets world={world} />
          <OutsideWallet />
          <Miners world={world} />
        </div>
        <BadLuck world={world} />
      </div>
    </>
  );
}

function StartOver() {
  const [asking, setAsking] = useState(false);
  const { busy, outcome, run } = useActing();
  const reset = async () => {
    setAsking(false);
    await run('reset', async () => {
      await client().call('sandboxReset', { body: {} });
      return sandboxWords.resetDone;
    });
  };
  return (
    <div>
      <Button kind="hurt" busy={busy !== null} onPress={() => setAsking(true)}>
        {sandboxWords.reset}
      </Button>
      <Outcome outcome={outcome} />
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={sandboxWords.resetTitle}
        actions={
          <>
            <Button onPress={() => setAsking(false)}>{sandboxWords.keep}</Button>
            <Button kind="hurt" onPress={() => void reset()}>
              {sandboxWords.resetNow}
            </Button>
          </>
        }
      >
        <p>{sandboxWords.resetMeans}</p>
      </Dialog>
    </div>
  );
}
