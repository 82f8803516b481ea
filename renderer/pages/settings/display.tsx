import { useState } from 'react';
import { networkName } from '../../format/networks.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { lookAtDisplay } from '../../stores/display.ts';
import { displayWords } from '../../words/display-words.ts';
import { FiatPrice } from '../display/fiat-text.tsx';
import { valueAt, type Setting, type Tree } from './form.ts';
import { Group } from './group.tsx';
import type { SettingsInForce } from './use-settings.ts';

const parts = ['url', 'path', 'currency'] as const;

/** The price source, as a whole or not at all. */
export function FiatSource({ settings, change }: SettingsInForce) {
  const inForce = (part: (typeof parts)[number]) => {
    const value = settings === null ? null : valueAt(settings, ['prices', 'fiat', part]);
    return typeof value === 'string' ? value : '';
  };
  const [typed, setTyped] = useState(() => ({
    url: inForce('url'),
    path: inForce('path'),
    currency: inForce('currency'),
  }));
  const { busy, outcome, run } = useActing();
  const isSet = inForce('url') !== '';
  const isWhole = parts.every((part) => typed[part].trim() !== '');
  const send = (name: string, fiat: Tree | null, sentence: string) =>
    run(name, async () => {
      await change({ prices: { fiat } });
      await lookAtDisplay();
      return sentence;
    });
  const save = () =>
    send(
      'save',
      Object.fromEntries(parts.map((part) => [part, typed[part].trim()])) satisfies Tree,
      displayWords.saved,
    );
  const off = () => {
    setTyped({ url: '', path: '', currency: '' });
    return send('off', null, displayWords.isOff);
  };
  return (
    <form
      className="stack"
      aria-label={displayWords.title}
      onSubmit={(event) => {
        event.preventDefault();
        if (busy === null && isWhole) void save();
      }}
    >
      <h2>{displayWords.title}</h2>
      <p className="sub">{displayWords.lead}</p>
      {parts.map((part) => (
        <TextField
          key={part}
          label={displayWords[part]}
          hint={displayWords[`${part}Hint`]}
          value={typed[part]}
          onText={(text) => setTyped({ ...typed, [part]: text })}
          autoComplete="off"
          spellCheck={false}
          mono
        />
      ))}
      <div className="row">
        <Button submit busy={busy === 'save'} notYet={isWhole ? null : displayWords.fillAll}>
          {displayWords.save}
        </Button>
        {isSet ? (
          <Button busy={busy === 'off'} onPress={() => void off()}>
            {displayWords.off}
          </Button>
        ) : null}
      </div>
      <Outcome outcome={outcome} />
      <FiatPrice />
    </form>
  );
}

/** A field for each network that is set up. */
export function Explorers(inForce: SettingsInForce) {
  const evm = inForce.settings === null ? null : valueAt(inForce.settings, ['evm']);
  const chains = typeof evm === 'object' && evm !== null ? Object.keys(evm).map((id) => `evm:${id}`) : [];
  const fields = ['bitcoin', 'arkade', ...chains].map((network): Setting => ({
    is: 'text',
    at: ['explorers', network],
    label: networkName(network),
    hint: displayWords.explorerHint,
  }));
  return <Group title={displayWords.explorers} lead={displayWords.explorersLead} fields={fields} {...inForce} />;
}
