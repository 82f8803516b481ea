// What the two chains of the sandbox hold at their first block.
import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Abi, Address, Hex } from 'viem';
import { bytesToHex, concatHex, getAddress, toHex } from 'viem/utils';
import { create2DeployerCode, ownContracts, salt } from '../../../engine/adapters/evm/contracts.ts';
import { create2Deployer, permit2 } from '../../../engine/legs/evm/deployments.ts';
import { faucetAccount } from '../../../engine/sandbox/world/evm/faucet-account.ts';
import { type Builder, type Contract, genesisTime, startBuilder } from './builder.ts';
import { openMarket, openPool } from './market.ts';

export interface Account {
  readonly balance: Hex;
  readonly nonce: Hex;
  readonly code?: Hex;
  readonly storage?: Readonly<Record<Hex, Hex>>;
}

/** A genesis block as geth and anvil read it. */
export interface Genesis {
  readonly config: Readonly<Record<string, unknown>>;
  readonly timestamp: Hex;
  readonly gasLimit: Hex;
  readonly difficulty: Hex;
  readonly baseFeePerGas: Hex;
  readonly alloc: Readonly<Record<Address, Account>>;
}

/** Where everything stands on a chain. */
export interface Places {
  readonly htlc: Address;
  readonly coordinator: Address;
  readonly permit2?: Address;
  readonly tokens: readonly { readonly symbol: string; readonly address: Address; readonly decimals: number }[];
  readonly dex?: { readonly quoter: Address; readonly router: Address; readonly wrappedNative: Address };
}

export interface Prepared {
  readonly genesis: Genesis;
  readonly places: Places;
}

const faucetAddress = faucetAccount.address;
const top = fileURLToPath(new URL('../../..', import.meta.url));
const gwei = 1_000_000_000n;
const oneCoin = 10n ** 18n;
const oneBitcoin = 10n ** 8n;
/** More than all swaps of a sandbox need, and little enough for every counter of Uniswap. */
const faucetCoins = 10n ** 10n * oneCoin;

/** 60,000 dollars a bitcoin, half a dollar a POL. */
const [dollarsPerBitcoin, polPerBitcoin] = [60_000n, 120_000n];
const poolBitcoins = 100_000n;

export async function prepareTokenChain(): Promise<Prepared> {
  const builder = await startBuilder(137);
  try {
    const code = readFileSync(`${top}resources/contracts/permit2-runtime.hex`, 'utf8').trim();
    await builder.anvil.call('anvil_setCode', bytesToHex(permit2), code);
    await builder.anvil.call('anvil_setBalance', faucetAddress, toHex(2n * faucetCoins));
    const [htlc, coordinator] = await deployOwn(builder, 137);
    const token = (file: string, ...args: unknown[]) => builder.deploy(sandboxArtifact(file), args);
    const wbtc = await token('PlainToken', 'Wrapped BTC', 'WBTC', 8, faucetAddress, 21_000_000n * oneBitcoin);
    const tbtc = await token('PermitToken', 'tBTC v2', '1', 'tBTC', 18, faucetAddress, 21_000_000n * oneCoin);
    const usdc = await token('PermitToken', 'USD Coin', '2', 'USDC', 6, faucetAddress, 10n ** 18n);
    const wpol = await token('WrappedNative', 'Wrapped POL', 'WPOL');
    const wrapped = poolBitcoins * polPerBitcoin * oneCoin;
    await builder.send(faucetAddress, wpol, 'deposit', [], wrapped + faucetCoins / 100n);
    const market = await openMarket(builder, wpol);
    const bitcoins = { token: wbtc, amount: poolBitcoins * oneBitcoin };
    const dollars = { token: usdc, amount: poolBitcoins * dollarsPerBitcoin * 10n ** 6n };
    await openPool(market, builder, faucetAddress, 500, [bitcoins, dollars]);
    await openPool(market, builder, faucetAddress, 500, [bitcoins, { token: tbtc, amount: poolBitcoins * oneCoin }]);
    await openPool(market, builder, faucetAddress, 3_000, [bitcoins, { token: wpol, amount: wrapped }]);
    const tokens = [
      { symbol: 'WBTC', address: wbtc.address, decimals: 8 },
      { symbol: 'tBTC', address: tbtc.address, decimals: 18 },
      { symbol: 'USDC', address: usdc.address, decimals: 6 },
      { symbol: 'WPOL', address: wpol.address, decimals: 18 },
    ];
    const dex = {
      quoter: market.quoter.address,
      router: market.router.address,
      wrappedNative: wpol.address,
    };
    return {
      genesis: await genesisOf(builder, { chainId: 137, baseFee: 30n * gwei, leaveOut: market.positions.address }),
      places: { htlc, coordinator, permit2: getAddress(bytesToHex(permit2)), tokens, dex },
    };
  } finally {
    await builder.anvil.stop();
  }
}

/** The coin of this chain is bitcoin: there is nothing to exchange it for. */
export async function prepareNativeChain(): Promise<Prepared> {
  const builder = await startBuilder(31);
  try {
    const [htlc, coordinator] = await deployOwn(builder, 31);
    const tokens = [{ symbol: 'RBTC', address: getAddress(toHex(0, { size: 20 })), decimals: 18 }];
    return {
      genesis: await genesisOf(builder, { chainId: 31, baseFee: 60_000_000n }),
      places: { htlc, coordinator, tokens },
    };
  } finally {
    await builder.anvil.stop();
  }
}

async function deployOwn(builder: Builder, chainId: number): Promise<readonly [Address, Address]> {
  const from = bytesToHex(create2Deployer);
  const contracts = ownContracts(chainId);
  for (const { initCode } of contracts) await builder.sendData(from, from, concatHex([salt, initCode]));
  const [htlc, coordinator] = contracts.map(({ address }) => getAddress(bytesToHex(address)));
  if (htlc === undefined || coordinator === undefined) throw new Error(`chain ${chainId} has no pair of contracts`);
  return [htlc, coordinator];
}

function sandboxArtifact(name: string): { abi: Abi; bytecode: Hex } {
  const text = readFileSync(`${top}resources/contracts/sandbox/compiled/${name}.json`, 'utf8');
  return JSON.parse(text) as { abi: Abi; bytecode: Hex };
}

interface DumpedAccount {
  readonly nonce: number | string;
  readonly balance: Hex;
  readonly code: Hex;
  readonly storage: Readonly<Record<Hex, Hex>>;
}

/** Every contract as it stands and the faucet, without the blocks that led there. */
async function genesisOf(
  { anvil }: Builder,
  { chainId, baseFee, leaveOut }: { chainId: number; baseFee: bigint; leaveOut?: Contract['address'] },
): Promise<Genesis> {
  const dump = (await anvil.call('anvil_dumpState')) as Hex;
  const { accounts } = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()) as {
    accounts: Readonly<Record<Address, DumpedAccount>>;
  };
  const alloc: Record<Address, Account> = {
    [faucetAddress.toLowerCase() as Address]: { balance: toHex(faucetCoins), nonce: '0x0' },
  };
  for (const address of Object.keys(accounts).sort() as Address[]) {
    const { nonce, balance, code, storage } = accounts[address]!;
    if (address === leaveOut?.toLowerCase()) continue;
    if (address === faucetAddress.toLowerCase()) continue;
    if (address === bytesToHex(create2Deployer))
      alloc[address] = { balance: '0x0', nonce: '0x1', code: create2DeployerCode };
    else if (code !== '0x') {
      const slots = (Object.entries(storage) as [Hex, Hex][]).map(([key, value]) => [word(key), word(value)] as const);
      slots.sort(([one], [other]) => (one < other ? -1 : 1));
      const filled = slots.filter(([, value]) => BigInt(value) !== 0n);
      alloc[address] = {
        balance: toHex(BigInt(balance)),
        nonce: toHex(BigInt(nonce)),
        code,
        ...(filled.length === 0 ? {} : { storage: Object.fromEntries(filled) }),
      };
    }
  }
  const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul'];
  const blocks = Object.fromEntries([...forks, 'berlin', 'london'].map((fork) => [`${fork}Block`, 0]));
  const times = { shanghaiTime: 0, cancunTime: 0, terminalTotalDifficulty: 0 };
  return {
    config: { chainId, ...blocks, ...times },
    timestamp: toHex(genesisTime),
    gasLimit: toHex(30_000_000),
    difficulty: '0x0',
    baseFeePerGas: toHex(baseFee),
    alloc,
  };
}

function word(hex: Hex): Hex {
  return toHex(BigInt(hex), { size: 32 });
}
