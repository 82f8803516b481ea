import { useState } from 'react';
import { directionNames, type DirectionName } from '../../../engine/domain/chain.ts';
import { Picker } from '../../parts/picker.tsx';
import { directionWords } from '../../words/direction-words.ts';
import { priceWords as words } from '../../words/price-words.ts';
import { valueAt } from './form.ts';
import { terms, termsOf } from './groups.ts';
import { PricePreview } from './price-preview.tsx';
import { SettingsForm } from './settings-form.tsx';
import type { SettingsInForce } from './use-settings.ts';

type Chosen = DirectionName | 'all';

const every = [...terms, ...directionNames.flatMap(termsOf)];

/** What swaps cost and may be worth, for all directions or for one, and what that comes to. */
export function Prices({ title, lead, settings, change }: SettingsInForce & { title: string; lead: string }) {
  const [chosen, setChosen] = useState<Chosen>('all');
  if (settings === null) return null;
  const options = [
    { value: 'all' as Chosen, label: words.all },
    ...directionNames.map((name) => {
      const own = valueAt(settings, ['terms', 'directions', name]) as object | undefined;
      const isOwn = own !== undefined && Object.keys(own).length > 0;
      return { value: name as Chosen, label: directionWords[name], ...(isOwn ? { detail: words.ownTerms } : {}) };
    }),
  ];
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <p className="sub mb-4">
        {lead}{' '}
        <a href="docs/provide/evm.html#pegs" target={window.sluice === undefined ? '_blank' : undefined}>
          {words.pegs}
        </a>
      </p>
      <div className="mb-4">
        <Picker purpose={words.forWhich} value={chosen} options={options} onPick={setChosen} />
      </div>
      <SettingsForm
        settings={settings}
        fields={every}
        shown={chosen === 'all' ? terms : termsOf(chosen)}
        change={change}
        name={title}
        below={(patch) => <PricePreview patch={patch} inForce={settings} />}
      />
    </section>
  );
}
