import { directionText } from '../format/directions.ts';
import { satsText } from '../format/sats.ts';
import { meaningOf } from '../format/status.ts';
import { useNode } from '../stores/node.ts';
import { TimeLeft } from './time-left.tsx';

/** The provider's side: every swap of this node, what happens next and how long it may take. */
export function SwapList() {
  const swaps = useNode((state) => state.swaps);
  const readAt = useNode((state) => state.readAt);
  return (
    <section className="panel overflow-x-auto" aria-labelledby="swaps">
      <h2 id="swaps" className="heading">
        Swaps of this node
      </h2>
      {swaps.length === 0 ? (
        <p className="mt-2 text-quiet">None yet.</p>
      ) : (
        <table className="mt-3 w-full text-left">
          <thead className="text-sm text-quiet">
            <tr>
              <th scope="col" className="py-2 pr-4 font-normal">
                Swap
              </th>
              <th scope="col" className="py-2 pr-4 font-normal">
                Status
              </th>
              <th scope="col" className="py-2 pr-4 font-normal">
                Next
              </th>
              <th scope="col" className="py-2 font-normal">
                Time left
              </th>
            </tr>
          </thead>
          <tbody>
            {swaps.map((swap) => (
              <tr key={swap.id} className="border-t border-line align-top">
                <td className="py-2 pr-4">
                  {swap.direction === null ? 'Unknown' : directionText(swap.direction)}
                  <span className="block text-sm text-quiet">
                    {satsText(swap.value_sats)} · <span className="font-mono">{swap.id.slice(0, 8)}</span>
                  </span>
                </td>
                <td className="py-2 pr-4" data-status={swap.status}>
                  {meaningOf(swap.status)}
                  {swap.flagged ? <span className="block text-sm text-bad">Needs you</span> : null}
                </td>
                <td className="py-2 pr-4">{swap.next_action}</td>
                <td className="py-2 tabular-nums">
                  {swap.slack_seconds === null ? '' : <TimeLeft until={readAt + swap.slack_seconds} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
