import { Fragment } from 'react';
import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import { networkName } from '../../format/networks.ts';
import { Button } from '../../parts/button.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { Picker } from '../../parts/picker.tsx';
import { Toggle, ToggleLine } from '../../parts/toggle.tsx';
import { useActing, type Acting } from '../../stores/acting.ts';
import { client } from '../../stores/records.ts';
import { sandboxWords } from '../../words/sandbox-words.ts';

type Faults = NonNullable<SandboxWorld['faults']>;
type RpcState = Faults['evm'][string];

const rpcStates: readonly RpcState[] = ['back', 'away', 'lags', 'lies'];

/** What goes wrong, at the owner's word. What is switched off stays off over a restart of the node. */
export function BadLuck({ world: { faults } }: { world: SandboxWorld }) {
  const acting = useActing();
  const { run, busy, outcome } = acting;
  const away = (on: boolean) => (on ? 'away' : 'back');
  return (
    <section aria-labelledby="bad-luck">
      <h2 id="bad-luck">{sandboxWords.badLuck}</h2>
      <p className="sub mt-1 mb-2">{sandboxWords.badLuckLead}</p>
      <Outcome outcome={outcome} />
      <Toggle
        label={sandboxWords.operatorAway}
        means={sandboxWords.operatorAwayMeans}
        on={faults?.arkade === 'away'}
        busy={busy !== null}
        onSwitch={(on) =>
          void run('arkade', async () => {
            await client().call('arkadeFault', { body: { operator: away(on) } });
            return sandboxWords.switched(sandboxWords.operatorAway, on);
          })
        }
      />
      <Toggle
        label={sandboxWords.lightningAway}
        means={sandboxWords.lightningAwayMeans}
        on={faults?.lightning === 'away'}
        busy={busy !== null}
        onSwitch={(on) =>
          void run('lightning', async () => {
            await client().call('lightningFault', { body: { node: away(on) } });
            return sandboxWords.switched(sandboxWords.lightningAway, on);
          })
        }
      />
      {Object.entries(faults?.evm ?? {}).map(([chain, state]) => (
        <RpcLine key={chain} chain={chain} state={state} acting={acting} />
      ))}
      <Payments faults={faults} acting={acting} />
      <Arming acting={acting} chains={Object.keys(faults?.evm ?? {})} />
    </section>
  );
}

function RpcLine({ chain, state, acting }: { chain: string; state: RpcState; acting: Acting }) {
  const label = sandboxWords.rpc(networkName(`evm:${chain}`));
  return (
    <ToggleLine label={label} means={sandboxWords.rpcMeans}>
      <Picker
        value={state}
        options={rpcStates.map((value) => ({ value, label: sandboxWords.rpcStates[value] }))}
        purpose={label}
        onPick={(rpc) =>
          void acting.run(`rpc ${chain}`, async () => {
            await client().call('evmFault', { params: { chain }, body: { rpc } });
            return `${label} ${sandboxWords.rpcStates[rpc]}.`;
          })
        }
      />
    </ToggleLine>
  );
}

function Payments({ faults, acting }: { faults: Faults | undefined; acting: Acting }) {
  const arm = (next_payment: 'fails' | 'hangs') => () => client().call('lightningFault', { body: { next_payment } });
  return (
    <>
      <ArmLine
        label={sandboxWords.paymentFails}
        means={sandboxWords.paymentFailsMeans}
        armed={faults?.nextPayment === 'fails'}
        acting={acting}
        arm={arm('fails')}
      />
      <ArmLine
        label={sandboxWords.paymentHangs}
        means={sandboxWords.paymentHangsMeans}
        armed={faults?.nextPayment === 'hangs'}
        acting={acting}
        arm={arm('hangs')}
      />
      {(faults?.hanging ?? []).map((hash) => (
        <HangingLine key={hash} hash={hash} acting={acting} />
      ))}
    </>
  );
}

function HangingLine({ hash, acting }: { hash: string; acting: Acting }) {
  const release = (outcome: 'settles' | 'fails') =>
    void acting.run(`${outcome} ${hash}`, async () => {
      await client().call('lightningRelease', { body: { payment_hash: hash, outcome } });
      return sandboxWords.released;
    });
  return (
    <ToggleLine label={sandboxWords.hanging(hash.slice(0, 8))} means={sandboxWords.hangingMeans}>
      <span className="row">
        <Button size="small" busy={acting.busy === `settles ${hash}`} onPress={() => release('settles')}>
          {sandboxWords.settle}
        </Button>
        <Button size="small" busy={acting.busy === `fails ${hash}`} onPress={() => release('fails')}>
          {sandboxWords.fail}
        </Button>
      </span>
    </ToggleLine>
  );
}

function Arming({ chains, acting }: { chains: readonly string[]; acting: Acting }) {
  const names = chains.map((chain) => ({ chain, name: networkName(`evm:${chain}`) }));
  const next = (chain: string, next_transaction: 'reverts' | 'drops') => () =>
    client().call('evmFault', { params: { chain }, body: { next_transaction } });
  return (
    <>
      {names.map(({ chain, name }) => (
        <Fragment key={chain}>
          <ArmLine
            label={sandboxWords.reverts(name)}
            means={sandboxWords.revertsMeans}
            acting={acting}
            arm={next(chain, 'reverts')}
          />
          <ArmLine
            label={sandboxWords.drops(name)}
            means={sandboxWords.dropsMeans}
            acting={acting}
            arm={next(chain, 'drops')}
          />
        </Fragment>
      ))}
      <ArmLine
        label={sandboxWords.replyLost}
        means={sandboxWords.replyLostMeans}
        acting={acting}
        arm={() => client().call('arkadeFault', { body: { next_submit: 'unanswered' } })}
      />
      <ArmLine
        label={sandboxWords.eventLost}
        means={sandboxWords.eventLostMeans}
        acting={acting}
        arm={() => client().call('arkadeFault', { body: { next_event: 'dropped' } })}
      />
    </>
  );
}

function ArmLine({
  label,
  means,
  armed = false,
  acting,
  arm,
}: {
  label: string;
  means: string;
  armed?: boolean;
  acting: Acting;
  arm: () => Promise<unknown>;
}) {
  return (
    <ToggleLine label={label} means={means}>
      <Button
        size="small"
        name={sandboxWords.armThing(label)}
        busy={acting.busy === label}
        onPress={() =>
          void acting.run(label, async () => {
            await arm();
            return sandboxWords.armed(label);
          })
        }
      >
        {armed ? sandboxWords.waits : sandboxWords.arm}
      </Button>
    </ToggleLine>
  );
}
