import type { Purse, Sats } from '../../domain/money.ts';
import type { Networks } from './networks.ts';

/** What lies in a purse and is promised to nobody, what the Bitcoin wallet keeps for fees among it. */
export function freeOn(networks: Networks, purse: Purse): Sats {
  switch (purse) {
    case 'arkade':
      return networks.arkadeFree();
    case 'lightning':
      return networks.outboundFree();
    case 'lightning-in':
      return networks.inboundFree();
    case 'bitcoin':
      return networks.bitcoinFree();
    default:
      return networks.evmFree(purse);
  }
}
