import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import { figureText } from '../../format/amount.ts';
import { momentText } from '../../format/moment.ts';
import { networkName } from '../../format/networks.ts';
import { spanText } from '../../format/span.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { useClock } from '../../stores/now.ts';
import { client, useRecords } from '../../stores/records.ts';
import { sandboxWords } from '../../words/sandbox-words.ts';
import { nextDeadline } from './next-deadline.ts';

const steps = [600, 3_600, 43_200];

/** The time of every network, its blocks, and the ways to move it. */
export function ClockPanel({ world }: { world: SandboxWorld }) {
  const clock = useClock();
  const swaps = useRecords((state) => state.swaps);
  const { busy, outcome, run } = useActing();
  const deadline = nextDeadline(swaps ?? [], clock);
  const advance = (seconds: number) =>
    run(String(seconds), async () => {
      const moved = await client().call('advanceClock', { body: { seconds } });
      return sandboxWords.moved(momentText(moved.clock));
    });
  return (
    <section className="panel" aria-labelledby="clock">
      <div className="row apart">
        <div>
          <h2 id="clock">{sandboxWords.clock}</h2>
          <p className="fig num mt-1">
            <ClockFace at={clock} />
          </p>
          <Heights world={world} />
        </div>
        <div className="row" role="group" aria-label={sandboxWords.move}>
          {steps.map((seconds) => (
            <Button key={seconds} busy={busy === String(seconds)} onPress={() => void advance(seconds)}>
              {sandboxWords.by[seconds]}
            </Button>
          ))}
          {deadline === null ? null : (
            <Button kind="main" busy={busy !== null} onPress={() => void advance(Math.max(1, deadline - clock + 1))}>
              {sandboxWords.nextDeadline}
              <span className="font-normal whitespace-nowrap">
                <Moment at={deadline} />
              </span>
            </Button>
          )}
        </div>
      </div>
      <p className="hint mt-3">{sandboxWords.clockHint}</p>
      <Outcome outcome={outcome} />
    </section>
  );
}

/** `Sat 21 Nov, 20:41:07` */
function ClockFace({ at }: { at: number }) {
  return (
    <>
      {momentText(at).replace(/\d\d:\d\d$/, '')}
      <Moment at={at} as="second" />
    </>
  );
}

function Heights({ world }: { world: SandboxWorld }) {
  const networks = useRecords((state) => state.status?.networks);
  const { skew } = world;
  const heights = (networks ?? [])
    .filter(({ name, height }) => height !== undefined && name !== 'lightning')
    .map(({ name, height }) => sandboxWords.heights(networkName(name), figureText(String(height), 0)));
  return (
    <>
      <p className="sub num">{heights.join(' · ')}</p>
      {skew === undefined ? null : <p className="sub">{sandboxWords.skewed(spanText(Math.abs(skew)), skew > 0)}</p>}
    </>
  );
}
