import { evmNetwork, isEvm } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import type { EvmPort } from '../../legs/evm/port.ts';
import { disagreementOf, evmOf } from '../../runtime/ports.ts';
import type { ServiceContext } from '../context.ts';
import type { Needed } from '../networks/reader.ts';
import { status } from '../owner/status.ts';
import { isClosed } from '../readiness.ts';
import type { Sample } from './exposition.ts';

/** Of those that the owner connected. */
export function networks(context: ServiceContext) {
  const up: Sample[] = [];
  const closed: Sample[] = [];
  const lag: Sample[] = [];
  const height: Sample[] = [];
  const disagree: Sample[] = [];
  const rpcs: Sample[] = [];
  const away: Sample[] = [];
  for (const one of status(context, { version: '', started: 0 }).networks) {
    if (one.state === 'absent') continue;
    const labels = { network: one.name };
    up.push({ labels, value: one.state === 'connected' ? 1 : 0 });
    closed.push({ labels, value: isClosed(context, one.name as Needed) ? 1 : 0 });
    if (one.lag_seconds !== undefined) lag.push({ labels, value: one.lag_seconds });
    if (one.height !== undefined) height.push({ labels, value: one.height });
    if (one.name === 'bitcoin')
      disagree.push({ labels, value: disagreementOf(context.runtime.ports.bitcoin) === null ? 0 : 1 });
    if (!isEvm(one.name)) continue;
    const port = evmOf(context.runtime.ports, evmNetwork(one.name.slice('evm:'.length)));
    disagree.push({ labels, value: disagreementOf(port) === null ? 0 : 1 });
    const sources = rpcsOf(port);
    rpcs.push({ labels, value: sources.length });
    away.push({ labels, value: sources.filter(({ failure }) => failure !== null).length });
  }
  return { up, closed, lag, height, disagree, rpcs, away };
}

/** None of a chain that was left while it was asked. */
function rpcsOf(port: EvmPort): ReturnType<EvmPort['rpcs']> {
  try {
    return port.rpcs();
  } catch (cause) {
    if (cause instanceof PortFailure) return [];
    throw cause;
  }
}
