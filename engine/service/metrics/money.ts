import { isEvm, type EvmNetwork, type Network } from '../../domain/chain.ts';
import { coinDecimals } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import type { ServiceContext } from '../context.ts';
import type { EvmFacts } from '../networks/evm.ts';
import { balancesNow } from '../owner/status.ts';
import type { Sample } from './exposition.ts';
import type { createLedgerSums } from './ledger-sums.ts';
import { createTally } from './swaps.ts';

const noAddress = `0x${'0'.repeat(40)}`;

/** What an amount of an asset is counted in: bitcoin or its token in satoshis, what pays for gas in whole coins. */
type Unit = { readonly is: 'sats' | 'coins'; readonly perUnit: number };

/** The facts of a chain as they were read last, for whoever asks while it is away. */
export function createUnits({ networks }: ServiceContext) {
  const lastFacts = new Map<EvmNetwork, EvmFacts>();

  return {
    /** Null for a token that this node knows nothing of now. */
    of(network: Network, asset: string): Unit | null {
      if (!isEvm(network) || asset === 'btc') return { is: 'sats', perUnit: 1 };
      const last = networks.chains.get(network)?.last();
      if (last?.state === 'connected') lastFacts.set(network, last.facts);
      const pegged = lastFacts.get(network)?.pegged ?? null;
      const address = asset.toLowerCase();
      if (pegged !== null && `0x${toHex(pegged.token)}` === address)
        return { is: 'sats', perUnit: 10 ** (8 - pegged.decimals) };
      return address === noAddress ? { is: 'coins', perUnit: 10 ** -coinDecimals } : null;
    },
  };
}

type Units = ReturnType<typeof createUnits>;

export function balances(context: ServiceContext, units: Units) {
  const held: Sample[] = [];
  const gas: Sample[] = [];
  for (const row of balancesNow(context)) {
    const { network } = row;
    const unit = units.of(network as Network, row.asset);
    if (unit === null) continue;
    if (unit.is === 'coins') {
      gas.push({ labels: { network }, value: Number(row.available) * unit.perUnit });
      continue;
    }
    const kinds = { available: row.available, reserved: row.reserved, locked: row.locked, pending: row.pending };
    for (const [kind, value] of Object.entries({
      ...kinds,
      ...(row.fee_reserve === undefined ? {} : { fee_reserve: row.fee_reserve }),
    }))
      held.push({ labels: { network, kind }, value: Number(value) * unit.perUnit });
  }
  return { held, gas };
}

/** Bitcoin is kept in millisatoshis there. */
const satsPerLedgerUnit = 1e-3;

export function ledger(sums: ReturnType<typeof createLedgerSums>, units: Units) {
  const earned = createTally();
  const paid = createTally();
  const gas = createTally();
  for (const sum of sums.read()) {
    const { kind, network, asset } = sum;
    const unit = units.of(network, asset);
    if (unit === null) continue;
    const per = asset === 'btc' ? satsPerLedgerUnit : unit.perUnit;
    if (unit.is === 'coins') gas.add({ network }, Number(sum.paid) * per);
    else {
      if (sum.earned > 0n) earned.add({ kind, network }, Number(sum.earned) * per);
      if (sum.paid > 0n) paid.add({ kind, network }, Number(sum.paid) * per);
    }
  }
  return { earned: earned.samples(), paid: paid.samples(), gas: gas.samples() };
}
