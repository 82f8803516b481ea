import { PortFailure } from '../domain/errors.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import { isAbsent, type Ports } from '../runtime/ports.ts';
import { noteNow, operatorTrouble, type Troubles } from './troubles.ts';

/** What needs no answer: scripts and keys of our own, spends on the chain, and listening. */
const alone = ['scriptUnder', 'prepareExit', 'prepareSweep', 'delegateKey', 'watch'] as const;

const silence = 'the Arkade operator does not answer, and is not waited for';

/**
 * The networks with an operator that its owner calls gone: it is asked once, and where it does not answer nothing waits
 * for it any more. One that answers is asked as before.
 */
export async function withoutOperator(ports: Ports, troubles: Troubles): Promise<Ports> {
  const { arkade } = ports;
  if (arkade === null) return ports;
  try {
    await arkade.info();
    return ports;
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    if (isAbsent(cause)) return ports;
    await noteNow(operatorTrouble, troubles, ports);
    return { ...ports, arkade: silent(arkade, cause.retold('safe', silence)) };
  }
}

function silent(port: ArkadePort, failure: PortFailure): ArkadePort {
  const own = Object.fromEntries(alone.map((name) => [name, port[name]]));
  return new Proxy(port, {
    get: (_, name) => (typeof name === 'string' && name in own ? own[name] : () => Promise.reject(failure)),
  });
}
