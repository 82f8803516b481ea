import type { TakerAccounts } from '../../../engine/contract/taker-accounts.ts';
import type { Balances } from '../../../engine/contract/owner/wallets.ts';
import type { WithdrawalCeilings } from '../../../engine/domain/withdrawal-cost.ts';
import { words } from '../../words/words.ts';

type BalanceRow = Balances['balances'][number];

/** What is known of a token, to show it as people read it. */
export interface TokenFacts {
  readonly symbol: string;
  readonly decimals: number;
}

/** One asset of one network, ready to be shown and sent. */
export interface Holding {
  readonly network: string;
  /** `btc`, or the address of a token; the zero address for the coin that pays for gas. */
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  /** False where only the smallest units can be shown. */
  readonly readable: boolean;
  readonly gas: boolean;
  readonly free: string;
  readonly reserved: string;
  readonly locked: string;
  /** Reserved and locked together. */
  readonly inSwaps: string;
  readonly underWay: string;
  readonly feeReserve: string | null;
  /** Whose it is: of a wallet of the node, or of the account that the owner's own swaps have on EVM chains. */
  readonly of: 'node' | 'swaps';
  /** Most wei that gas of sending it may cost now; null where the node says a ceiling in sats. */
  readonly mostGas: string | null;
  /** Set while its network does not answer: when it held that, unix seconds. */
  readonly asOf: number | null;
}

const zero = `0x${'0'.repeat(40)}`;

/** `tokens` by network and address in small letters, `evm:137 0xa8ad...`. */
export function holdingsOf(rows: readonly BalanceRow[], tokens: ReadonlyMap<string, TokenFacts>): Holding[] {
  return rows.map((row) => {
    const gas = row.asset === zero;
    const facts =
      row.asset === 'btc'
        ? { symbol: 'sats', decimals: 0 }
        : (tokens.get(`${row.network} ${row.asset.toLowerCase()}`) ??
          (gas ? { symbol: words.wallets.gasCoin(row.network), decimals: 18 } : null));
    return {
      network: row.network,
      asset: row.asset,
      symbol: facts?.symbol ?? `${row.asset.slice(0, 6)}…${row.asset.slice(-4)}`,
      decimals: facts?.decimals ?? 0,
      readable: facts !== null,
      gas,
      free: row.available,
      reserved: row.reserved,
      locked: row.locked,
      inSwaps: String(BigInt(row.reserved) + BigInt(row.locked)),
      underWay: row.pending,
      feeReserve: row.fee_reserve === undefined || row.fee_reserve === '0' ? null : row.fee_reserve,
      of: 'node',
      mostGas: null,
      asOf: row.as_of ?? null,
    };
  });
}

type Account = TakerAccounts['accounts'][number];

/**
 * What the account of the own swaps holds on a chain: only what is there, and the coin beside it, for that pays for
 * sending.
 */
export function holdingsOfAccount({ network, holdings }: Account): Holding[] {
  const rows = (holdings ?? []).map((row): Holding => {
    const gas = row.asset === zero;
    return {
      network,
      asset: row.asset,
      symbol: gas ? words.wallets.gasCoin(network) : row.symbol,
      decimals: row.decimals,
      readable: true,
      gas,
      free: row.available,
      reserved: row.kept,
      locked: '0',
      inSwaps: row.kept,
      underWay: '0',
      feeReserve: null,
      of: 'swaps',
      mostGas: row.most_gas,
      asOf: null,
    };
  });
  const isThere = ({ free, inSwaps }: Holding) => free !== '0' || inSwaps !== '0';
  return rows.some(isThere) ? rows.filter((row) => row.gas || isThere(row)) : [];
}

/** The sats of all networks together; tokens are not added to them, and of what is away nothing is free to use. */
export function satsOf(holdings: readonly Holding[], part: 'free' | 'inSwaps' | 'underWay' | 'away'): string {
  const sats = holdings.filter(({ asset }) => asset === 'btc');
  const counted =
    part === 'free' || part === 'away' ? sats.filter(({ asOf }) => (asOf === null) === (part === 'free')) : sats;
  return String(counted.reduce((sum, holding) => sum + BigInt(holding[part === 'away' ? 'free' : part]), 0n));
}

/** The owner's ceilings in the settings; null where they are not known. */
export function ceilingsIn(settings: unknown): WithdrawalCeilings | null {
  const { withdrawalBps, withdrawalMinSats, withdrawalMaxSats } = (settings ?? {}) as Record<string, unknown>;
  return typeof withdrawalBps === 'number' &&
    typeof withdrawalMinSats === 'number' &&
    typeof withdrawalMaxSats === 'number'
    ? { withdrawalBps, withdrawalMinSats, withdrawalMaxSats }
    : null;
}
