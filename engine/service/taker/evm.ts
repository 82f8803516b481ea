import { evmNetwork } from '../../domain/chain.ts';
import { PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { nativeCoin } from '../../domain/evm.ts';
import type { Sats } from '../../domain/money.ts';
import { isTooSilent } from '../../legs/evm/agreement.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import { published } from '../../legs/evm/deployments.ts';
import { muchOnEvm } from '../../legs/evm/much.ts';
import { evmOf, takerAccountsOf } from '../../runtime/ports.ts';
import type { EvmOrderTerms } from '../../taker/evm/terms.ts';
import type { ServiceContext } from '../context.ts';
import { nativeBitcoin } from '../market/market.ts';
import { tokenFacts } from '../networks/token-facts.ts';

/** An EVM chain as our own RPCs and settings have it: what a provider's record is judged by. */
export async function evmOrderOf(
  { runtime, config }: Pick<ServiceContext, 'runtime' | 'config'>,
  chainId: number,
  value: Sats,
  /** False for a swap that exists already: it goes on however few RPCs there are now. */
  begins = true,
): Promise<Omit<EvmOrderTerms, 'evmKey' | 'gasless'> | Refusal> {
  const settings = config.evm[`${chainId}`];
  const native = settings?.contracts.kind === 'native';
  const locked = native ? nativeCoin : (settings?.peggedToken ?? null);
  if (settings === undefined || locked === null)
    return refuse('invalid', `evm_chain_id is ${chainId}, which is not connected here: connect it in the settings.`);
  if (begins && settings.rpc.length < 2 && value > BigInt(settings.agreeAboveSats))
    return refuse(
      'invalid',
      `With a single RPC at most ${settings.agreeAboveSats} sats are swapped over chain ${chainId}: ask for less, ` +
        'or add a second RPC.',
    );
  const chain = evmNetwork(chainId);
  const port = evmOf(runtime.ports, chain);
  const accounts = takerAccountsOf(runtime.ports);
  try {
    const rpcs = port.rpcs();
    if (begins && value > BigInt(settings.agreeAboveSats) && isTooSilent(rpcs))
      return refuse(
        'unavailable',
        `While an RPC is away at most ${settings.agreeAboveSats} sats are swapped over chain ${chainId}: ask for ` +
          `less, or try again later. ${rpcs.flatMap(({ failure }) => failure ?? []).join(' ')}`,
      );
    const agreed = value > BigInt(settings.agreeAboveSats);
    // By its decimals every amount is judged, of a little swap too: one RPC says them where no other answers.
    const factsOf = async () => (agreed ? port.token(locked, { agreed }) : (await tokenFacts(port, locked)).facts);
    const token = native ? nativeBitcoin(locked) : { address: locked, ...(await factsOf()) };
    const { address, decimals, symbol, name } = token;
    const [few, burial] = settings.confirmations;
    return {
      chain,
      pairs: [settings.contracts, ...alike(chainId, settings.contracts)],
      pegged: { address, decimals, symbol, name },
      account: accounts.accountOf({ scheme: 'wallet', index: 0 }),
      burial,
      ...(value > muchOnEvm || few === burial ? {} : { showDepth: few }),
      agreed,
      since: (await port.tip()).height,
    };
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse('unavailable', `Chain ${chainId} does not answer now: try again later.`);
  }
}

/** What is published in the form of ours: another provider may lock in it, and we where `isOpenToClaimer` is not so. */
function alike(chainId: number, own: SwapContracts): SwapContracts[] {
  return published
    .filter(
      ({ kind, version, chainIds }) => kind === own.kind && version === own.htlcVersion && chainIds.includes(chainId),
    )
    .map(({ kind, htlc, coordinator, version, coordinatorVersion }) => ({
      kind,
      htlc,
      coordinator,
      htlcVersion: version,
      coordinatorVersion,
    }));
}
