import type { EvmCall } from '../../../legs/evm/port.ts';
import type { Look } from './look.ts';

/** Nothing from us to us: all that it does is to use its nonce up. */
export function nothing({ port }: Pick<Look, 'port'>): EvmCall {
  return { to: port.account(), value: 0n, data: new Uint8Array() };
}
