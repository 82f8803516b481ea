import { randomUUID } from 'node:crypto';
import type { OwnerService } from '../../api/service.ts';
import type { Deployment } from '../../contract/owner/deployment.ts';
import type { Withdrawal } from '../../contract/owner/wallets.ts';
import { chainIdOf, isEvm, type EvmNetwork, type Network } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { nativeCoin } from '../../domain/evm.ts';
import { greater, lesser, noSats } from '../../domain/money.ts';
import { deployCall } from '../../legs/evm/calls.ts';
import { ownPair } from '../../legs/evm/deployments.ts';
import type { ContractHere, EvmPort, GasFees } from '../../legs/evm/port.ts';
import { bitcoinCoin } from '../../quote/coin-price.ts';
import { limitOf } from '../../runtime/networks/evm/prepare.ts';
import { priceOf } from '../../runtime/networks/evm/gas.ts';
import { evmOf } from '../../runtime/ports.ts';
import {
  evmDeployment,
  evmDeploymentEffect,
  evmNamingEffect,
  type EvmDeploymentProgress,
  type EvmDeploymentTerms,
} from '../../swap/jobs/deploy-evm.ts';
import type { ServiceContext } from '../context.ts';
import { beginJob } from '../owner/job.ts';
import { sharesOf, stepsOf } from './deployment-shares.ts';

type Context = Pick<ServiceContext, 'config' | 'runtime'>;

/** A contract that is to be deployed, and the units of gas that it is signed for. */
interface Missing {
  readonly contract: ContractHere;
  readonly gas: bigint;
}

/** What a deployment would do now. */
interface Plan {
  readonly port: EvmPort;
  readonly contracts: readonly ContractHere[];
  readonly wanted: readonly Missing[];
  readonly fees: GasFees;
  /** Most wei for each unit of gas: with room for raises, and no more than the settings allow. */
  readonly price: bigint;
  readonly balance: bigint;
  /** What of it claims and refunds of open swaps may need: a deployment spends none of it. */
  readonly floor: bigint;
  /** Why it cannot be begun now; null where it can. */
  readonly obstacle: string | null;
}

const gwei = 1_000_000_000;
/**
 * How many times the price of now is shown as the most. What is signed holds until the base fee has doubled, and a
 * variant for what it is then asks for twice of it again: with less room none is ever signed.
 */
const raises = 3n;

/** What the owner asks and has done of contracts. */
export function deployments(context: Context): Pick<OwnerService, 'deployment' | 'deploy'> {
  return {
    deployment: (network) => deploymentOn(context, network),
    deploy: (network, { mostWei }) => deployOn(context, network, mostWei),
  };
}

/** Which of our contracts a chain lacks, and what putting them there costs at most. Nothing is sent. */
export async function deploymentOn(context: Context, network: Network): Promise<Deployment | Refusal> {
  const plan = await planOn(context, network);
  if (isRefusal(plan)) return plan;
  const { port, contracts, wanted, balance, floor, price, obstacle } = plan;
  const most = mostOf(plan);
  const job = jobOn(context, network as EvmNetwork);
  return {
    account: checksummed(port.account()),
    contracts: contracts.map((contract) => {
      const gas = wanted.find((one) => one.contract === contract)?.gas ?? 0n;
      const { name, address, state } = contract;
      return { name, address: checksummed(address), state: state.is, most_wei: `${gas * price}` };
    }),
    most_wei: `${most}`,
    balance_wei: `${balance}`,
    kept_wei: `${floor}`,
    missing_wei: `${lacking(most, plan)}`,
    obstacle,
    job: job === null ? null : { id: job.id, sentence: job.sentence },
  };
}

/** Deploys what lacks, by one job that goes on by itself, at no more than its owner was shown. */
export async function deployOn(context: Context, network: Network, shown: bigint): Promise<Withdrawal | Refusal> {
  const plan = await planOn(context, network);
  if (isRefusal(plan)) return plan;
  const { wanted, fees, price, balance, floor, obstacle, port } = plan;
  const on = network as EvmNetwork;
  if (obstacle !== null) return refuse('unavailable', obstacle);
  const units = wanted.reduce((sum, { gas }) => sum + gas, 0n);
  if (units === 0n && isNamed(context, on))
    return refuse('forbidden', 'All contracts stand there already: nothing is left to deploy.');
  const shares = sharesOf({ shown, gas: wanted.map(({ gas }) => gas), prices: [price, priceOf(fees)] });
  if (shares === null)
    return refuse(
      'forbidden',
      `most_wei is ${shown}, and the gas costs ${mostOf({ wanted, price: priceOf(fees) })} wei by now: look again at ` +
        `what it may cost (most_wei of GET /owner/contracts/${network}).`,
    );
  const missing = lacking(shown, plan);
  if (missing > 0n)
    return refuse(
      'forbidden',
      `The account ${checksummed(port.account())} has ${balance} wei, its gas may cost ${shown}, and ${floor} are kept ` +
        `for claims and refunds: send it ${missing} wei more.`,
    );
  const chain = context.config.evm[`${chainIdOf(on)}`];
  const { htlc, coordinator } = ownPair(chainIdOf(on));
  const terms: EvmDeploymentTerms = {
    network: on,
    contracts: wanted.map(({ contract: { name, address, data }, gas }, at) => {
      return { name, address, data, gas, mostFee: shares[at] ?? noSats };
    }),
    htlc,
    coordinator,
    ...(chain === undefined
      ? {}
      : { instead: { htlc: chain.contracts.htlc, coordinator: chain.contracts.coordinator } }),
    confirmations: Math.max(...(chain?.confirmations ?? [1])),
  };
  const first = evmDeploymentEffect(terms, 0);
  return beginJob(
    context,
    {
      machine: evmDeployment,
      network: on,
      amount: noSats,
      terms,
      ...(first === null
        ? { progress: { at: 'naming' }, effects: [evmNamingEffect(terms)] }
        : { progress: { at: 'choosing', next: 0 }, effects: [first] }),
    },
    (reason) => `Nothing was deployed: ${reason ?? 'it was refused'}.`,
    { id: randomUUID(), still: () => (jobOn(context, on)?.open === true ? refuse('forbidden', underWay) : null) },
  );
}

const underWay = 'Contracts are being deployed there already: wait until that is over.';

async function planOn(context: Context, network: Network): Promise<Plan | Refusal> {
  const chain = isEvm(network) ? context.config.evm[`${chainIdOf(network)}`] : undefined;
  if (!isEvm(network) || chain === undefined)
    return refuse(
      'invalid',
      `network is ${network}, which is no EVM chain of this node: set evm.<chain id>.rpc first.`,
    );
  const port = evmOf(context.runtime.ports, network);
  const [{ lacking: below, contracts }, fees, balance] = await Promise.all([
    port.ownContracts(),
    port.gasFees(),
    port.balance(nativeCoin, port.account()),
  ]);
  const ceiling = chain.gas.maxFeeGwei === 0 ? null : BigInt(Math.round(chain.gas.maxFeeGwei * gwei));
  const now = priceOf(fees);
  const most = raises * now;
  const price = ceiling === null ? most : lesser(most, ceiling);
  const doubt = contracts.flatMap(({ state }) => (state.is === 'doubt' ? [state.sentence] : []))[0] ?? null;
  const dear =
    ceiling === null || now <= ceiling
      ? null
      : `Gas costs ${now} wei a unit, more than evm.${chainIdOf(network)}.gas.maxFeeGwei allows: wait, or raise that.`;
  const open = jobOn(context, network)?.open === true ? underWay : null;
  const wanted: Missing[] = [];
  let refusal: string | null = null;
  for (const contract of below === null ? contracts : []) {
    if (contract.state.is !== 'missing') continue;
    const simulation = await port.simulate(deployCall(contract));
    if (simulation.is === 'reverts') refusal ??= `${contract.name} cannot be deployed: ${simulation.reason}.`;
    else wanted.push({ contract, gas: greater(limitOf('deploy', simulation.gas), contract.leastGas) });
  }
  return {
    port,
    contracts,
    wanted,
    fees,
    price,
    balance,
    floor: chain.relayerFloorWei,
    obstacle: below ?? doubt ?? dear ?? refusal ?? open ?? port.disagreement(),
  };
}

/** What the account lacks to spend so much; nothing where it spends nothing. */
function lacking(most: bigint, { balance, floor }: Plan): bigint {
  return most === 0n || balance >= most + floor ? 0n : most + floor - balance;
}

/** In whole steps of what a ceiling is kept in. */
function mostOf({ wanted, price }: Pick<Plan, 'wanted' | 'price'>): bigint {
  return wanted.reduce((sum, { gas }) => sum + stepsOf(gas, price) * bitcoinCoin.wei, 0n);
}

/** Whether new swaps on the chain are made with our pair. */
function isNamed({ config }: Context, network: EvmNetwork): boolean {
  const contracts = config.evm[`${chainIdOf(network)}`]?.contracts;
  const own = ownPair(chainIdOf(network));
  return (
    contracts !== undefined &&
    checksummed(contracts.htlc) === checksummed(own.htlc) &&
    checksummed(contracts.coordinator) === checksummed(own.coordinator)
  );
}

export interface DeploymentJob {
  readonly id: string;
  readonly open: boolean;
  readonly failed: boolean;
  /** What it does now, or came to. */
  readonly sentence: string;
}

/** So many of the newest are looked through for the one of a chain. */
const newest = 20;

/** The deployment that is under way on a chain, else the newest one; null where there was none. */
export function jobOn({ runtime }: Pick<ServiceContext, 'runtime'>, network: EvmNetwork): DeploymentJob | null {
  const { swaps } = runtime.store;
  const machine = evmDeployment.name;
  // Of two of the same second only what is open says which is the later one.
  for (const { id } of [
    ...swaps.page({ machine, open: true, limit: newest }),
    ...swaps.page({ machine, limit: newest }),
  ]) {
    const row = runtime.workingSet.readable(id)?.row;
    const terms = row?.terms as EvmDeploymentTerms | undefined;
    if (row === undefined || terms?.network !== network) continue;
    const progress = row.progress as EvmDeploymentProgress;
    return { id, open: row.open, failed: progress.at === 'failed', sentence: sentenceOf(terms, progress) };
  }
  return null;
}

function sentenceOf(terms: EvmDeploymentTerms, progress: EvmDeploymentProgress): string {
  const name = 'next' in progress ? (terms.contracts[progress.next]?.name ?? '') : '';
  switch (progress.at) {
    case 'choosing':
      return `${name} is being signed.`;
    case 'sending':
      return `${name} was sent in 0x${progress.txid}, and waits to be mined deep enough.`;
    case 'looking':
      return `${name} was mined in 0x${progress.txid}, and every RPC is asked for it.`;
    case 'naming':
      return 'The contracts stand, and the settings are about to name them.';
    case 'sent':
      return 'The contracts were deployed.';
    case 'failed':
      return `The deployment failed: ${progress.reason}.`;
  }
}
