import { useState, type ReactNode } from 'react';
import type { ChecklistStep } from '../../../engine/contract/owner/checklist.ts';
import { plainText } from '../../format/plain.ts';
import { CopyButton } from '../../parts/address.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Status, toneIcons, type Tone } from '../../parts/status.tsx';
import { hrefTo } from '../../stores/route.ts';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { AlertTest } from '../settings/alert-test.tsx';
import { valueAt, type Tree } from '../settings/form.ts';
import { alerts, rescueCopy } from '../settings/groups.ts';
import { SettingsForm } from '../settings/settings-form.tsx';
import type { SettingsInForce } from '../settings/use-settings.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { BaseUrl } from './base-url.tsx';
import { ChainForm, ConnectForm } from './connect-form.tsx';
import { Deploy } from './deploy.tsx';
import { Deposits } from './deposits.tsx';
import { guideTo } from './guides.ts';
import { Rehearse } from './rehearse.tsx';
import { titleOf } from './titles.ts';
import { WalletsSwitch } from './wallets-switch.tsx';

export interface StepTools {
  readonly settings: Tree | null;
  /** Saves, and has the steps looked at again. */
  readonly change: SettingsInForce['change'];
  /** Has the steps looked at again. */
  readonly look: () => void;
}

/** One step: what was seen of it, and what its owner can do about it here. */
export function StepLine({ step, ...tools }: StepTools & { step: ChecklistStep }) {
  const { part, state, sentence, act, command, warnings, address } = step;
  const [open, setOpen] = useState(false);
  const title = titleOf(step);
  const tone = toneOf(step);
  const form = formOf(step, title, tools);
  const sandbox = tools.settings?.['sandbox'] === true && part === 'network';
  return (
    <li className={`probe ${open ? 'open' : ''}`}>
      <Icon name={toneIcons[tone]} className={tone} />
      <div>
        <h3>
          {title} <span className="sr">{words.states[state]}</span>
        </h3>
        <p className="sub break-words">{plainText(sentence)}</p>
        {warnings.map((warning) => (
          <p key={warning} className="break-words">
            <Status tone="need" small>
              <span className="min-w-0">{plainText(warning)}</span>
            </Status>
          </p>
        ))}
        {state === 'done' || act === undefined || form !== null || part === 'contracts' ? null : (
          <p className="break-words">{plainText(act)}</p>
        )}
        {command === undefined || part === 'contracts' || (state === 'done' && warnings.length === 0) ? null : (
          <Command text={command} />
        )}
        {state === 'done' ? null : (
          <a
            className="hint"
            href={guideTo(step)}
            target={window.sluice === undefined ? '_blank' : undefined}
            aria-label={words.guideTo(title)}
          >
            {words.guide}
          </a>
        )}
        {part === 'liquidity' ? <Deposits step={step} look={tools.look} /> : null}
        {address === undefined ? null : <BaseUrl url={address} />}
      </div>
      <span className="act row">
        <Acts step={step} {...tools} />
        {form === null || open || sandbox ? null : (
          <Button
            size="small"
            name={state === 'todo' ? words.setThing(title) : words.changeThing(title)}
            onPress={() => setOpen(true)}
          >
            {state === 'todo' ? words.set : words.change}
          </Button>
        )}
      </span>
      {open ? <div className="col-span-full mt-3 sm:col-start-2">{form}</div> : null}
    </li>
  );
}

function toneOf({ state, needed }: ChecklistStep): Tone {
  if (state === 'done') return 'safe';
  if (state === 'failed') return 'danger';
  return needed ? 'need' : 'off';
}

/** As it is typed into a terminal, to be taken whole. */
function Command({ text }: { text: string }) {
  return (
    <div className="row mt-2 flex-nowrap items-start gap-2">
      <code className="mono min-w-0 text-sm break-all">{text}</code>
      <CopyButton text={text} thing={words.theCommand} />
    </div>
  );
}

/** What is filled in for a step; null where nothing is. */
function formOf({ part, id }: ChecklistStep, name: string, { settings, change, look }: StepTools): ReactNode {
  if (settings === null) return null;
  const own = { settings, change, name };
  switch (part) {
    case 'bundle':
      return <SettingsForm fields={rescueCopy} {...own} />;
    case 'network':
      return id === 'evm' ? <ChainForm {...own} /> : <ConnectForm network={id} {...own} />;
    case 'alerts':
      return (
        <div className="stack">
          <SettingsForm fields={alerts} {...own} />
          <AlertTest onTest={look} />
        </div>
      );
    default:
      return null;
  }
}

/** What is done about a step by one press. */
function Acts({ step, settings, change, look }: StepTools & { step: ChecklistStep }) {
  switch (step.part) {
    case 'seed':
      return window.sluice === undefined || step.state === 'done' ? null : (
        <ButtonLink size="small" href={hrefTo('backup')}>
          {words.compare}
        </ButtonLink>
      );
    case 'prices':
      return (
        <>
          <ButtonLink size="small" href={hrefTo('settings', 'terms')}>
            {words.look}
          </ButtonLink>
          {step.state === 'done' || settings === null ? null : (
            <ActButton size="small" act={() => change({ terms: termsIn(settings) })}>
              {words.keep}
            </ActButton>
          )}
        </>
      );
    case 'wallets':
      return settings === null ? null : <WalletsSwitch step={step} settings={settings} change={change} />;
    case 'contracts':
      return <Deploy step={step} look={look} />;
    case 'rehearsal':
      return <Rehearse step={step} look={look} />;
    default:
      return null;
  }
}

/** What swaps cost and may be worth now, to be set as it is. */
function termsIn(settings: Tree): Tree {
  const names = ['feeBps', 'minSats', 'maxSats'];
  return Object.fromEntries(names.map((name) => [name, valueAt(settings, ['terms', name])]));
}
