import type { ArkadeEvmRecord, CreateArkadeEvm } from '../../contract/directions/arkade-evm.ts';
import { chainIdOf, evmNetwork, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { noSats, plus, sats, tokenAmount, type Sats } from '../../domain/money.ts';
import type { BridgeTerms } from '../../legs/evm/bridge.ts';
import { isDeadOn } from '../../legs/evm/dead-address.ts';
import { evmLockLegs } from '../../legs/evm/timelocks.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { bridgeTerms, judgeOnward, judgeRecipient } from '../../quote/bridge.ts';
import { leastOut } from '../../domain/slippage.ts';
import type { Price } from '../../quote/fees.ts';
import { gasOf } from '../../quote/gas.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import { arkadeEvm } from '../../swap/directions/arkade-evm/machine.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms } from '../../swap/directions/arkade-evm/terms.ts';
import { viewArkadeEvm } from '../../swap/directions/arkade-evm/view.ts';
import { hashOf, type Relay, type Revealed } from '../../swap/halves/evm/fund/terms.ts';
import { exposed } from '../caps.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create.ts';
import { notNow, stopped, tooMuch } from '../limits.ts';
import { bridgedToken, isPegged, type Market } from '../market/market.ts';
import { priceOrder } from '../market/worth.ts';
import { rateOf } from '../rate.ts';
import { aboveOneWord } from '../one-word.ts';
import { recordOf } from '../record.ts';
import { vhtlcOf } from '../vhtlc.ts';
import { unsupportedChain } from '../unsupported-chain.ts';
import { onChain, type SwapClaim } from './direction.ts';
import { directionOf } from './entry.ts';

/** Opens the swap: priced and judged, with the lock that we are to make pinned to the last byte. */
async function createArkadeEvm(
  context: ServiceContext,
  request: CreateArkadeEvm,
  developer: DeveloperKey | null,
): Promise<ArkadeEvmRecord | Refusal> {
  const { networks, policy, config, runtime } = context;
  const network = evmNetwork(request.evmChainId);
  const direction = onChain(arkadeEvmDirection, network);
  const market = marketOf(context, network);
  if (isRefusal(market)) return market;
  const closed = stopped(context, direction);
  if (closed !== null) return closed;
  const arkade = networks.arkade();
  if (arkade.state !== 'connected')
    return refuse('unavailable', 'The Arkade operator does not answer now: try again later.');
  const operator = arkade.facts.info;
  const account = evmOf(runtime.ports, network).account();
  const chain = config.evm[chainIdOf(network)];
  if (chain === undefined) return refuse('unavailable', 'This chain is being set up anew: try again later.');
  const { contracts } = chain;
  const bridged = bridgeOf(market, request);
  if (isRefusal(bridged)) return bridged;
  const { onward } = bridged;
  const isDead = (address: EvmAddress): boolean =>
    isDeadOn(chain, address, [market.pegged.address, bridged.token]) || sameBytes(address, account);
  const target = addressesOf(request, isDead);
  if (isRefusal(target)) return target;

  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const priced = await priceOrder(context, market, orderOf(request, bridged), rate);
  if (isRefusal(priced)) return priced;
  const { token } = priced;
  const { sats: source, token: targetAmount, locked, fee, networkFee } = priced.price;
  const price: Price = { source, target: satsOfUnitsDown(locked, market.pegged.decimals), fee, networkFee };
  const refused = tooMuch(context, direction, price) ?? aboveOneWord(context, network, price.source);
  if (refused !== null) return refused;
  if (targetAmount === 0n) return refuse('invalid', 'The amount buys nothing of this token: ask for more.');

  const hash = hash160OfSha256(request.hash);
  const opened = await openSwap<ArkadeEvmTerms, ArkadeEvmProgress>(context, {
    machine: arkadeEvm,
    hash,
    hashOf: 'preimage',
    userId: request.userId,
    value: price.target,
    // How many more asked while the exchange was asked is looked at again.
    refused: () => notNow(context) ?? tooMuch(context, direction, price),
    reserve: [{ network, amount: plus(price.target, sats(1)) }],
    build(key, clocks) {
      const legs = evmLockLegs({ clocks, network, policy });
      if (isRefusal(legs)) return legs;
      const { refundLocktime, timelock, fundBefore, lockBefore, minCoinExpiry } = legs;
      const vhtlc = vhtlcOf(context, operator, {
        sender: request.refundKey.key,
        receiver: key.publicKey,
        hash,
        refundLocktime,
        clocks,
      });
      const terms: ArkadeEvmTerms = {
        hash: request.hash,
        sourceAmount: price.source,
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        ...vhtlc,
        keyIndex: key.index,
        toleranceBps: config.terms.overpaymentToleranceBps,
        fundBefore,
        minCoinExpiry,
        serverKey: key.publicKey,
        clientKeyText: request.refundKey.text,
        targetSats: price.target,
        network,
        contracts,
        lock: {
          preimageHash: request.hash,
          amount: locked,
          token: market.pegged.address,
          refundAddress: account,
          claimAddress: request.claimingAddress,
          timelock: BigInt(timelock),
        },
        pegged: market.pegged,
        target: token,
        targetAmount,
        floor: isPegged(market, token.address) ? locked : leastOut(targetAmount, market.slippageBps),
        targetAddress: target,
        ...(onward === null ? {} : { onward }),
        gasless: request.gasless,
        lockBefore,
        since: clocks[network]?.height ?? 0,
        burial: burialOf(context, network, price.target),
        policy,
      };
      return { terms, progress: { at: 'pending', fenced: false }, effects: [] };
    },
  });
  if (isRefusal(opened)) return opened;
  return recordOf(context, opened.row.id, direction);
}

function orderOf(request: CreateArkadeEvm, { token, onward }: Exclude<ReturnType<typeof bridgeOf>, Refusal>) {
  return {
    direction: 'to-token',
    token,
    ...request.amount,
    ...(onward === null ? {} : { bridgeFee: tokenAmount(onward.fee) }),
  } as const;
}

/** The chain that the swap names, if it is one to swap on. */
function marketOf(context: ServiceContext, network: EvmNetwork): Market | Refusal {
  const unsupported = unsupportedChain(context, network);
  if (unsupported !== null) return unsupported;
  return (
    context.markets.on(network) ??
    context.networks.closed(network) ??
    refuse('unavailable', 'This chain was not read yet: try again later.')
  );
}

/** The token that a claim brings, and where it goes on to: all of it judged before anything is made. */
function bridgeOf(
  market: Market,
  { bridge, target, token }: CreateArkadeEvm,
): { readonly token: EvmAddress; readonly onward: BridgeTerms | null } | Refusal {
  if (bridge === null) return { token, onward: null };
  const onward = judgeOnward(market.bridge, bridge.chain, bridge.token);
  if (isRefusal(onward)) return onward;
  const usdc = bridgedToken(market, onward, token);
  if (isRefusal(usdc)) return usdc;
  const recipient = judgeRecipient(onward, target.is === 'evm' ? `0x${toHex(target.address)}` : target.text);
  return isRefusal(recipient) ? recipient : { token: usdc, onward: bridgeTerms(onward, recipient) };
}

/** Where the tokens go; refused where nobody could ever claim or receive them. */
function addressesOf(
  { claimingAddress, target }: CreateArkadeEvm,
  isDead: (address: EvmAddress) => boolean,
): EvmAddress | Refusal {
  if (target.is !== 'evm')
    return refuse('invalid', 'target_address is no address of this chain: send 0x and 40 hex digits.');
  const of = [
    ['claiming_address', claimingAddress],
    ['target_address', target.address],
  ] as const;
  for (const [field, address] of of)
    if (isDead(address))
      return refuse(
        'invalid',
        `${field} is ${checksummed(address)}, which is nobody's who could use what the swap brings: send an ` +
          'account of your own.',
      );
  return target.address;
}

/** Above this value a transaction is buried deeper. */
const muchSats = sats(10_000_000);

function burialOf({ config }: ServiceContext, network: EvmNetwork, value: Sats): number {
  const [few, many] = config.evm[chainIdOf(network)]?.confirmations ?? [1, 1];
  return value > muchSats ? many : few;
}

function standing({ reverts, refusal }: { reverts: number; refusal?: string }, stays: boolean): SwapClaim['state'] {
  return { is: 'standing', reverts, refusal: refusal ?? null, stays };
}

function relayed(relay: Relay): SwapClaim['state'] {
  const txid = hashOf(relay);
  return txid === null ? { is: 'sending' } : { is: 'sent', txid };
}

function claimSeen({ relay, redeemTxid }: Pick<Revealed, 'relay' | 'redeemTxid'>): SwapClaim['state'] {
  const own = relay !== null && [relay.by, relay.taken, relay.txid].includes(redeemTxid);
  return { is: 'claimed', txid: own ? redeemTxid : null };
}

/** A claim that a reorganisation took, and what is on its way to make it again; null while the chain shows one. */
function claimAgain({ shallow, relay }: Revealed): SwapClaim['state'] | null {
  if (shallow === undefined) return null;
  if (relay?.txid === null) return relayed(relay);
  if (shallow.missing === undefined) return null;
  return relay === null ? standing(shallow, true) : relayed(relay);
}

function claimState(p: ArkadeEvmProgress): SwapClaim['state'] {
  switch (p.at) {
    case 'locked':
      return standing(p, false);
    case 'relaying':
    case 'relayed':
      return relayed(p.relay);
    case 'claimed':
      return claimAgain(p) ?? claimSeen(p);
    case 'claiming':
    case 'lost':
      return claimSeen(p);
    case 'pending':
    case 'funded':
    case 'locking':
      return { is: 'none' };
    default:
      return { is: 'over' };
  }
}

/**
 * The client locks on Arkade, we lock on an EVM chain, and the secret that the client's claim there shows claims its
 * lock.
 */
export const arkadeEvmDirection = directionOf<'arkade-evm', ArkadeEvmTerms, ArkadeEvmProgress>(arkadeEvm, {
  name: 'arkade-evm',
  source: 'Arkade',
  target: 'evm',
  needs: ['arkade', 'evm', 'bitcoin'],
  locksOn: 'evm',
  unpaidOn: ['evm'],
  exposedOn: ['evm', 'arkade'],
  costs({ gas }) {
    const relay = gas(gasOf.relayClaim);
    const lock = gas(gasOf.lock);
    return { source: noSats, target: plus(lock, relay), flat: noSats, relay, exit: plus(lock, gas(gasOf.refund)) };
  },
  liquidity: ({ networks }, evm) => (evm === null ? noSats : networks.evmFree(evm)),
  atOperator: (status) => exposed.has(status),
  bringsToOperator: true,
  create: createArkadeEvm,
  view: viewArkadeEvm,
  vhtlc: (terms) => ({
    terms: terms.vhtlc,
    script: terms.script,
    byClient: { keyIndex: terms.keyIndex, latePayment: null },
  }),
  claim: (t, p) => ({
    network: t.network,
    contracts: t.contracts,
    lock: t.lock,
    hash: t.hash,
    token: t.target.address,
    floor: t.floor,
    onward: t.onward ?? null,
    gasless: t.gasless,
    state: claimState(p),
  }),
  chainOf: (t) => t.network,
});
