import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { Over } from '../link.ts';

/** The Bitcoin chain over whatever connection there is. */
export function bitcoinOver({ ask, now }: Over<BitcoinPort>): Required<BitcoinPort> {
  return {
    genesis: () => ask((port) => port.genesis()),
    tip: () => ask((port) => port.tip()),
    disagreement: () => now().disagreement(),
    transaction: (...txid) => ask((port) => port.transaction(...txid)),
    glance: (...txid) => ask((port) => port.glance(...txid)),
    coins: (...scripts) => ask((port) => port.coins(...scripts)),
    payments: (...search) => ask(async (port) => (await port.payments?.(...search)) ?? { payments: [], over: true }),
    spend: (...outpoint) => ask((port) => port.spend(...outpoint)),
    broadcast: (...transaction) => ask((port) => port.broadcast(...transaction)),
    passOn: (...transaction) => ask((port) => port.passOn(...transaction)),
    broadcastPackage: (...transactions) => ask((port) => port.broadcastPackage(...transactions)),
    feeRate: (...blocks) => ask((port) => port.feeRate(...blocks)),
    blockRates: (...count) => ask(async (port) => (await port.blockRates?.(...count)) ?? []),
    secondFeeRate: (...blocks) => ask(async (port) => (await port.secondFeeRate?.(...blocks)) ?? null),
  };
}
