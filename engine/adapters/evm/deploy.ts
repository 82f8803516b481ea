import type { Hex } from 'viem';
import { bytesToHex, toHex } from 'viem/utils';
import { type Refusal, refuse } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { fromHex } from '../../domain/hex.ts';
import { accountOf, signTransaction } from '../../legs/evm/account.ts';
import { create2Deployer, published } from '../../legs/evm/deployments.ts';
import { deploymentOf, missingBelow, wantedOn } from './deployment.ts';
import { codeAt, wrongWith } from './genuine.ts';
import { type Rpc, asHex, asQuantity, rpcAt } from './rpc.ts';

export interface Deploying {
  readonly rpc: string;
  /** The chain that is meant; null takes the one that is met. */
  readonly chainId: number | null;
  /** Private key, 32 bytes, of the account that pays. */
  readonly key: Uint8Array;
  /** Without it nothing is sent: what would be is asked and told. */
  readonly send: boolean;
  readonly onSent: (name: string, transaction: Hex) => void;
}

export interface DeploymentReport {
  readonly chainId: number;
  readonly account: EvmAddress;
  /** Wei. */
  readonly balance: bigint;
  readonly contracts: readonly {
    readonly name: string;
    readonly address: EvmAddress;
    readonly was: 'there' | 'deployed' | 'not sent';
    /** Units that the deployment takes, where it was not there. */
    readonly gas: bigint | null;
  }[];
  /** Wei for each unit of gas. */
  readonly gasPrice: bigint;
  /** Other people's pairs on this chain. */
  readonly published: typeof published;
}

const pollMs = 1_000;
const patienceMs = 300_000;

/**
 * Deploys our pair of contracts to a chain, each where its code alone decides, or says what that would take. Repeated
 * it finds what is there. Every contract is asked afterwards whether it is what this node signs for.
 */
export async function deployContracts(options: Deploying): Promise<DeploymentReport | Refusal> {
  const rpc = rpcAt(options.rpc);
  const chainId = Number(asQuantity(await rpc('eth_chainId'), 'a chain id'));
  if (options.chainId !== null && options.chainId !== chainId)
    return refuse(
      'invalid',
      `The endpoint is on chain ${chainId}, not on ${options.chainId}: give the URL of one of ${options.chainId}.`,
    );
  const missing = await missingBelow(rpc, chainId);
  if (missing !== null) return refuse('invalid', missing);
  const account = accountOf(options.key);
  const balance = asQuantity(await rpc('eth_getBalance', bytesToHex(account), 'latest'), 'a balance');
  const gasPrice = asQuantity(await rpc('eth_gasPrice'), 'a gas price');
  const contracts: DeploymentReport['contracts'][number][] = [];
  for (const contract of await wantedOn(rpc, chainId)) {
    const { name, address } = contract;
    if ((await codeAt(rpc, address)) !== '0x') {
      const wrong = await wrongWith(rpc, contract);
      if (wrong !== null) return refuse('invalid', wrong);
      contracts.push({ name, address, was: 'there', gas: null });
      continue;
    }
    const call = {
      from: bytesToHex(account),
      to: bytesToHex(create2Deployer),
      data: deploymentOf(contract),
    };
    const answer = asHex(await rpc('eth_call', call, 'latest'), 'an address');
    if (answer !== bytesToHex(address))
      return refuse(
        'invalid',
        `${name} would come to stand at ${answer} and not at ${bytesToHex(address)}: nothing was sent for it.`,
      );
    const gas = (asQuantity(await rpc('eth_estimateGas', call), 'an estimate of gas') * 12n) / 10n;
    if (!options.send) {
      contracts.push({ name, address, was: 'not sent', gas });
      continue;
    }
    const transaction = await sent(rpc, chainId, options.key, { gas, gasPrice, data: call.data });
    options.onSent(name, transaction);
    const unmined = await waitFor(rpc, transaction, name);
    const wrong = unmined ?? (await wrongWith(rpc, contract));
    if (wrong !== null) return refuse('invalid', wrong);
    contracts.push({ name, address, was: 'deployed', gas });
  }
  const others = published.filter((pair) => pair.chainIds.includes(chainId));
  return { chainId, account, balance, contracts, gasPrice, published: others };
}

async function sent(
  rpc: Rpc,
  chainId: number,
  key: Uint8Array,
  { gas, gasPrice, data }: { readonly gas: bigint; readonly gasPrice: bigint; readonly data: Hex },
): Promise<Hex> {
  const nonce = asQuantity(await rpc('eth_getTransactionCount', bytesToHex(accountOf(key)), 'pending'), 'a nonce');
  const transaction = {
    nonce: Number(nonce),
    fees: { is: 'legacy', price: gasPrice } as const,
    gas,
    to: create2Deployer,
    value: 0n,
    data: fromHex(data.slice(2)),
  };
  return asHex(
    await rpc('eth_sendRawTransaction', bytesToHex(signTransaction(chainId, transaction, key))),
    'a transaction id',
  );
}

/** Null once it is mined; a sentence where it was reverted, or is not mined for a long time. */
async function waitFor(rpc: Rpc, transaction: Hex, name: string): Promise<string | null> {
  for (const until = Date.now() + patienceMs; Date.now() < until;) {
    const receipt = (await rpc('eth_getTransactionReceipt', transaction)) as { status?: unknown } | null;
    if (receipt !== null)
      return receipt.status === toHex(1) ? null : `${name} was not deployed: ${transaction} reverted.`;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return `${name} was sent in ${transaction} and is not mined yet: ask again later, what is there then is found.`;
}
