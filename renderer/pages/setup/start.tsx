import { useState } from 'react';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { words } from '../../words/words.ts';
import type { SetupStep } from './setup-step.ts';
import { Frame } from './frame.tsx';
import { useStep } from './use-step.ts';

const networks = ['mainnet', 'signet', 'mutinynet'] as const;

export function Start({ setup, state, onRestore }: SetupStep & { onRestore: () => void }) {
  const [network, setNetwork] = useState<(typeof networks)[number]>('mainnet');
  const { busy, trouble, take } = useStep();
  const text = words.setup;
  /** A folder belongs to one network for ever: it is chosen before the keys are. */
  const chosen = async () =>
    (state.chosen && state.network === network) || (await take(setup.choose({ network }))) !== null;
  const create = async () => {
    if (await chosen()) await take(setup.make({ words: 12 }));
  };
  const restore = async () => {
    if (await chosen()) onRestore();
  };
  return (
    <Frame step={0} title={text.title} lead={text.lead} trouble={trouble}>
      <fieldset className="mt-6">
        <legend className="label">{text.network}</legend>
        <div className="seg mt-2">
          {networks.map((one) => (
            <label key={one}>
              <input type="radio" name="network" checked={one === network} onChange={() => setNetwork(one)} />
              {text.networks[one]}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="choices mt-4" aria-busy={busy || undefined}>
        <ChoiceLine icon="key" title={text.create} means={text.createMeans} onPress={() => void create()} />
        <ChoiceLine icon="back" title={text.restore} means={text.restoreMeans} onPress={() => void restore()} />
        <ChoiceLine
          icon="bucket"
          title={text.play}
          means={text.playMeans}
          onPress={() => void take(setup.choose({ network: 'sandbox' }))}
        />
      </div>
      <div className="promise">
        <Reason icon="shield" title={text.keysHere} means={text.keysHereMeans} />
        <Reason icon="back" title={text.wayBack} means={text.wayBackMeans} />
        <Reason icon="eye" title={text.costFirst} means={text.costFirstMeans} />
      </div>
    </Frame>
  );
}

function ChoiceLine({
  icon,
  title,
  means,
  onPress,
}: {
  icon: IconName;
  title: string;
  means: string;
  onPress: () => void;
}) {
  return (
    <button type="button" className="choice text-left" onClick={onPress}>
      <Icon name={icon} />
      <span>
        <b>{title}</b>
        <span className="sub block">{means}</span>
      </span>
      <Icon name="right" />
    </button>
  );
}

function Reason({ icon, title, means }: { icon: IconName; title: string; means: string }) {
  return (
    <div>
      <Icon name={icon} />
      <h2>{title}</h2>
      <p className="sub">{means}</p>
    </div>
  );
}
