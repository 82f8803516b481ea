import type { OwnerStatus } from '../../engine/contract/owner/status.ts';
import { satsText } from '../format/sats.ts';

const words = { connected: 'connected', away: 'away', absent: 'not set up' } as const;
const colours = { connected: 'text-good', away: 'text-bad', absent: 'text-quiet' } as const;
const marks = { connected: '●', away: '▲', absent: '○' } as const;

export function Health({ status, sandbox }: { status: OwnerStatus; sandbox: boolean }) {
  return (
    <section className="panel" aria-labelledby="health">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 id="health" className="heading">
          {status.paused === null ? 'Running' : status.paused.by === 'owner' ? 'Paused by you' : 'Paused by the guard'}
        </h2>
        <p className="text-sm text-quiet">
          {sandbox ? 'sandbox, no real money' : status.network} · {status.open_swaps} open ·{' '}
          {satsText(status.at_risk_sats)} at risk
        </p>
      </div>
      {status.paused === null ? null : <p className="mt-2">{status.paused.reason}</p>}
      <ul className="mt-4 grid gap-3 sm:grid-cols-3">
        {status.networks.map((network) => (
          <li key={network.name}>
            <p className="font-medium">
              <span className="capitalize">{network.name}</span>{' '}
              <span className={colours[network.state]}>
                <span aria-hidden="true">{marks[network.state]}</span> {words[network.state]}
              </span>
            </p>
            <p className="text-sm break-words text-quiet">
              {network.detail}
              {network.height === undefined ? '' : ` Height ${network.height}.`}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
