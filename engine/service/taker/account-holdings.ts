import type { EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { coinDecimals, nativeCoin, type EvmAddress } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import { payCall } from '../../legs/evm/calls.ts';
import type { EvmPort } from '../../legs/evm/port.ts';
import type { TakerEvmKey } from '../../legs/evm/taker-key.ts';
import { priceOf } from '../../runtime/networks/evm/gas.ts';
import { evmOf, takerAccountsOf } from '../../runtime/ports.ts';
import { forwardEvm, type ForwardEvmTerms } from '../../swap/jobs/forward-evm.ts';
import { givenBy, type EvmFunding, type EvmFundTerms } from '../../taker/halves/evm/fund/terms.ts';
import type { ServiceContext } from '../context.ts';
import { takenBy } from './view.ts';

export type AccountContext = Pick<ServiceContext, 'runtime' | 'config'>;

/** New swaps have this account on every chain (facts/clients.md 13). */
export const accountKey: TakerEvmKey = { scheme: 'wallet', index: 0 };
export const isCoin = (token: EvmAddress): boolean => toHex(token) === toHex(nativeCoin);

/** Of an approval of Permit2, which a swap may need of this account. */
const approvalGas = 100_000n;
/** Gas of a transfer beyond what one of nothing takes: the place of the new owner in the token's books. */
const firstTime = 60_000n;

/**
 * One asset of the account, in smallest units; `gas` in units of gas, `mostWei` what they may cost, raises included.
 */
export interface AccountHolding {
  readonly token: EvmAddress;
  readonly symbol: string;
  readonly decimals: number;
  readonly held: bigint;
  /** What open swaps wait for. */
  readonly promised: bigint;
  readonly gas: bigint;
  readonly mostWei: bigint;
  /** What is left for sending once everything else was put aside, the gas of it where it is the coin. */
  readonly available: bigint;
}

export function addressOf({ runtime }: AccountContext): EvmAddress {
  return takerAccountsOf(runtime.ports).accountOf(accountKey);
}

/** Swaps that begin with tokens of the account, and whose tokens may lie there still. */
function unfunded({ runtime }: AccountContext, network: EvmNetwork) {
  return [...runtime.workingSet.all()].flatMap(({ row, machine }) => {
    const direction = takenBy(machine.name);
    if (direction?.startsWith('evm-') !== true) return [];
    const terms = row.terms as unknown as EvmFundTerms;
    const progress = row.progress as EvmFunding | { readonly at: 'creating' };
    const waits = progress.at === 'creating' || progress.at === 'waiting' || progress.at === 'funding';
    return terms.chain === network && waits ? [{ terms, progress }] : [];
  });
}

/** Why nothing may be signed for the account now, whatever it holds; null when nothing is against it. */
export function busy(context: AccountContext, network: EvmNetwork): Refusal | null {
  if (unfunded(context, network).some(({ progress }) => progress.at === 'creating'))
    return refuse('forbidden', 'A swap from this account is being opened: try again in a minute.');
  const before = [...context.runtime.workingSet.all()].some(
    ({ row, machine }) => machine.name === forwardEvm.name && (row.terms as ForwardEvmTerms).network === network,
  );
  return before ? refuse('forbidden', 'The last transfer from this account is not final yet: wait until it is.') : null;
}

/** What open swaps take from the account: their tokens, and of the coin what an approval may cost, twice over. */
export function keptFor(context: AccountContext, network: EvmNetwork, token: EvmAddress, price: bigint): bigint {
  const waiting = unfunded(context, network);
  const tokens = waiting.reduce((sum, { terms, progress }) => {
    const given = 'deal' in progress ? givenBy(terms, progress) : null;
    return given !== null && toHex(given.token) === toHex(token) ? sum + given.amount : sum;
  }, 0n);
  return tokens + (isCoin(token) && waiting.length > 0 ? 2n * approvalGas * price : 0n);
}

/**
 * Everything that the settings name of a chain, and its coin; throws a `PortFailure` while the chain does not answer.
 */
export async function holdingsOn(context: AccountContext, network: EvmNetwork): Promise<AccountHolding[]> {
  const { runtime, config } = context;
  const settings = config.evm[network.slice('evm:'.length)];
  const port = evmOf(runtime.ports, network);
  const account = addressOf(context);
  const price = priceOf(await port.gasFees());
  const named = [
    ...(settings === undefined || settings.peggedToken === null ? [] : [settings.peggedToken]),
    ...(settings?.tokens ?? []),
  ];
  const tokens = [...new Map(named.filter((one) => !isCoin(one)).map((one) => [toHex(one), one])).values()];
  const facts = { decimals: coinDecimals, symbol: '' };
  return Promise.all(
    [nativeCoin, ...tokens].map(async (token): Promise<AccountHolding> => {
      const { decimals, symbol } = isCoin(token) ? facts : await port.token(token);
      // By it an amount of all is sent (facts/faults.md 298).
      const held = await port.sureBalance(token, account);
      const promised = keptFor(context, network, token, price);
      const gas = await gasOf(port, token, account);
      const mostWei = 2n * gas * price;
      const aside = promised + (isCoin(token) ? mostWei : 0n);
      return { token, symbol, decimals, held, promised, gas, mostWei, available: held > aside ? held - aside : 0n };
    }),
  );
}

/** Of a transfer of nothing, which anybody may try, and some more. */
async function gasOf(port: EvmPort, token: EvmAddress, to: EvmAddress): Promise<bigint> {
  const tried = await port.simulate(payCall({ token, to, amount: 0n }));
  const gas = tried.is === 'passes' ? (tried.gas * 5n) / 4n : firstTime;
  return gas + firstTime;
}
