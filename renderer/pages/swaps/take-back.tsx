import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';

/** Asks back what was paid; while that is not possible, the button says why and when. */
export function TakeBack({ swap }: { swap: TakerSwap }) {
  const { state, from, why } = swap.refund;
  if (state !== 'possible' && state !== 'later') return null;
  const act = async () => {
    await client().call('refundTakerSwap', { params: { id: swap.id }, body: {} });
    await useRecords.getState().look();
  };
  const reason = why === null ? null : words.oneSwap.whys[why];
  return (
    <div className="row mt-5">
      <ActButton
        icon="back"
        kind={swap.attention === 'needs-you' || swap.attention === 'danger' ? 'main' : 'other'}
        act={act}
        notYet={
          state === 'possible' ? null : (
            <>
              {from === null ? null : (
                <>
                  {words.oneSwap.opens}{' '}
                  <strong>
                    <Moment at={from} />
                  </strong>
                  .{' '}
                </>
              )}
              {reason}
            </>
          )
        }
      >
        {words.oneSwap.takeBack}
      </ActButton>
      {state === 'possible' && reason !== null ? <span className="sub">{reason}</span> : null}
    </div>
  );
}
