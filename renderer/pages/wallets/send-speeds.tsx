import { useEffect, useId, useState } from 'react';
import type { WithdrawalFees } from '../../../engine/contract/owner/wallets.ts';
import { speedNames, type WithdrawalSpeed } from '../../../engine/domain/withdrawal-cost.ts';
import { figureText } from '../../format/amount.ts';
import { plainText } from '../../format/plain.ts';
import { Note } from '../../parts/note.tsx';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { words } from '../../words/words.ts';
import type { Holding } from './holdings.ts';
import type { ReadySend } from './send-form.ts';

type Figures = WithdrawalFees['fees'][number];

interface SpeedsNow {
  readonly chosen: WithdrawalSpeed;
  readonly onChoose: (speed: WithdrawalSpeed) => void;
  /** Null until the node said what each would cost. */
  readonly fees: readonly Figures[] | null;
  readonly trouble: string | null;
  /** Why it cannot be sent at the chosen speed, as far as that is known. */
  readonly refused: string | null;
}

/** Whether its owner says how soon it is to be mined. */
export function hasSpeeds({ network, of }: Holding): boolean {
  return network === 'bitcoin' && of === 'node';
}

/** The choice, with what each would cost now. */
export function useSpeeds(holding: Holding, { address, amount, maxFee }: ReadySend): SpeedsNow {
  const [chosen, onChoose] = useState<WithdrawalSpeed>('hour');
  const [fees, setFees] = useState<readonly Figures[] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const asks = hasSpeeds(holding);
  useEffect(() => {
    if (!asks) return;
    let stale = false;
    client()
      .call('withdrawalFees', {
        params: { network: 'bitcoin' },
        body: { address, amount, ...(maxFee === null ? {} : { max_fee: maxFee }) },
      })
      .then((answer) => (stale ? undefined : setFees(answer.fees)))
      .catch((error: unknown) => (stale ? undefined : setTrouble(troubleText(error))));
    return () => {
      stale = true;
    };
  }, [asks, address, amount, maxFee]);
  const refused = fees?.find(({ speed }) => speed === chosen)?.refused ?? null;
  return { chosen, onChoose, fees, trouble, refused: refused === null ? null : plainText(refused) };
}

/** How soon, with the rate and the fee of each. */
export function Speeds({ chosen, onChoose, fees, trouble, all }: SpeedsNow & { all: boolean }) {
  const group = useId();
  return (
    <>
      <fieldset aria-busy={fees === null && trouble === null}>
        <legend className="label">{words.wallets.speed}</legend>
        {speedNames.map((speed) => (
          <label key={speed} className="row">
            <input
              type="radio"
              name={group}
              value={speed}
              checked={speed === chosen}
              onChange={() => onChoose(speed)}
            />
            <span>
              {words.wallets.speeds[speed]}
              <span className="sub num block">
                {costText(
                  fees?.find((one) => one.speed === speed),
                  all,
                )}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      {trouble === null ? null : (
        <Note tone="need" title={words.wallets.feesUnknown}>
          {trouble}
        </Note>
      )}
    </>
  );
}

function costText(figures: Figures | undefined, all: boolean): string {
  if (figures === undefined) return '';
  const { rate, fee, arrives, refused } = figures;
  if (rate === null || fee === null || arrives === null) return plainText(refused ?? '');
  const cost = words.wallets.feeOf(figureText(String(fee), 0), String(Math.round(rate * 10) / 10));
  return all ? `${cost} ${words.wallets.arrives(figureText(String(arrives), 0))}` : cost;
}
