import { useId } from 'react';
import type { TakerSwaps } from '../../../engine/contract/taker-swap.ts';
import { networkName } from '../../format/networks.ts';
import { Picker } from '../../parts/picker.tsx';
import { useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';
import { countOf, shows, type Narrowing } from './list.ts';

const alwaysThere = ['arkade', 'lightning', 'bitcoin'];
/** What the picker calls "any"; a network has no such name. */
const any = 'any';

/** By text, by kind and by network; what is typed counts at once. */
export function NarrowForm({
  narrowing,
  onNarrow,
  counts,
}: {
  narrowing: Narrowing;
  onNarrow: (narrowing: Narrowing) => void;
  counts: TakerSwaps['counts'] | null;
}) {
  const id = useId();
  const status = useRecords((state) => state.status);
  const networks = [...new Set([...alwaysThere, ...(status?.networks.map(({ name }) => name) ?? [])])];
  return (
    <form role="search" className="row mb-4" onSubmit={(event) => event.preventDefault()}>
      <div className="relative min-w-0 flex-[1_1_14rem]">
        <label className="sr" htmlFor={id}>
          {words.activity.find}
        </label>
        <input
          id={id}
          type="search"
          className="in"
          placeholder={words.activity.findHint}
          autoComplete="off"
          spellCheck={false}
          value={narrowing.text}
          onChange={(event) => onNarrow({ ...narrowing, text: event.currentTarget.value })}
        />
      </div>
      <fieldset className="seg">
        <legend className="sr">{words.activity.show}</legend>
        {shows.map((show) => (
          <label key={show}>
            <input
              type="radio"
              name={`${id}-show`}
              checked={narrowing.show === show}
              onChange={() => onNarrow({ ...narrowing, show })}
            />
            {words.activity.shows[show]}{' '}
            {show === 'open' || show === 'needs-you' ? (
              <span className="num">{countOf(counts, show) || ''}</span>
            ) : null}
          </label>
        ))}
      </fieldset>
      <Picker
        value={narrowing.network === '' ? any : narrowing.network}
        options={[
          { value: any, label: words.activity.anyNetwork },
          ...networks.map((value) => ({ value, label: networkName(value) })),
        ]}
        purpose={words.activity.whichNetwork}
        onPick={(network) => onNarrow({ ...narrowing, network: network === any ? '' : network })}
      />
    </form>
  );
}
