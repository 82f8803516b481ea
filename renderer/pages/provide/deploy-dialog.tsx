import { useCallback, useEffect, useState } from 'react';
import type { Deployment } from '../../../engine/contract/owner/deployment.ts';
import { shortText } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { plainText } from '../../format/plain.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Address, CopyButton } from '../../parts/address.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/empty.tsx';
import { Note } from '../../parts/note.tsx';
import { Qr } from '../../parts/qr.tsx';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { checklistWords } from '../../words/checklist-words.ts';
import { words as common } from '../../words/words.ts';

const words = checklistWords.deployment;
/** A block or a few: money that arrives and contracts that stand are seen while it is open. */
const everyMs = 5_000;

/** Which contracts, from which account, at most what it costs, and what lacks; then the press that begins it. */
export function DeployDialog({ network, onClose }: { network: string; onClose: () => void }) {
  const [plan, setPlan] = useState<Deployment | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const look = useCallback(async () => {
    try {
      setPlan(await client().call('deployment', { params: { network } }));
      setTrouble(null);
    } catch (error) {
      setTrouble(troubleText(error));
    }
  }, [network]);
  useEffect(() => {
    void look();
    const timer = setInterval(() => void look(), everyMs);
    return () => clearInterval(timer);
  }, [look]);
  const deploy = async (most: string) => {
    await client().call('deployContracts', { params: { network }, body: most === '0' ? {} : { most_wei: most } });
    await look();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.title(networkName(network))}
      actions={
        <>
          <Button onPress={onClose}>{common.wallets.done}</Button>
          {plan === null || plan.contracts.every(({ state }) => state === 'stands') ? null : (
            <ActButton
              kind="main"
              act={() => deploy(plan.most_wei)}
              notYet={plan.obstacle !== null ? words.notNow : plan.missing_wei === '0' ? null : words.moneyFirst}
            >
              {checklistWords.deploy}
            </ActButton>
          )}
        </>
      }
    >
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {plan === null ? trouble === null ? <Loading /> : null : <Shown plan={plan} network={network} />}
    </Dialog>
  );
}

function Shown({ plan, network }: { plan: Deployment; network: string }) {
  const {
    account,
    contracts,
    most_wei: most,
    balance_wei: balance,
    kept_wei: floor,
    missing_wei: missing,
    obstacle,
    job,
  } = plan;
  const coins = (wei: string) => shortText({ amount: wei, decimals: 18, symbol: common.wallets.gasCoin(network) });
  return (
    <>
      <p className="sub">{words.means}</p>
      {job === null ? null : <Note tone="need">{plainText(job.sentence)}</Note>}
      {obstacle === null ? null : (
        <p className="break-words" role="status">
          {plainText(obstacle)}
        </p>
      )}
      <dl className="facts ruled">
        {contracts.map(({ name, address, state }) => (
          <div key={address}>
            <dt>{name}</dt>
            <dd>
              {words.states[state]} <code className="mono text-sm break-all">{address}</code>
            </dd>
          </div>
        ))}
        <div>
          <dt>{words.most}</dt>
          <dd>{coins(most)}</dd>
        </div>
        <div>
          <dt>{words.has}</dt>
          <dd>{coins(balance)}</dd>
        </div>
        <div>
          <dt>{words.kept}</dt>
          <dd>{coins(floor)}</dd>
        </div>
      </dl>
      <Address text={account} group={4} />
      {missing === '0' ? null : (
        <>
          <p>{words.missing(coins(missing))}</p>
          <Qr text={account} label={common.wallets.qrOf(networkName(network))} />
          <CopyButton text={account} thing={common.wallets.theAddress}>
            {common.parts.copy}
          </CopyButton>
        </>
      )}
    </>
  );
}
