import { HttpError } from '../wire/http.ts';
import type { EvmNetwork, EvmPlaces } from '../evm-networks.ts';
import { deepestReorg } from '../world/evm/chain.ts';
import type { Gift } from '../world/evm/faucet.ts';
import { onlyOne, readFields } from './fields.ts';
import type { EvmEndpoints } from '../endpoints.ts';
import type { ControlRoute } from './route.ts';

/** The EVM chains, by their numbers. */
export interface EvmNetworks {
  readonly evm: ReadonlyMap<string, EvmNetwork>;
}

const mostBlocks = 10_000;
const mostDropped = 1_000;
const zero = `0x${'00'.repeat(20)}` as const;
const oneCoin = 10n ** 18n;

/** What the node begins with: ten bitcoin of each kind, and coins for gas. */
const startingBitcoins = 10n;
const startingGasCoins = 10_000n;
const bitcoins = ['WBTC', 'tBTC', 'RBTC'];

export const evmRoutes: readonly ControlRoute<EvmNetworks>[] = [
  route('faucet', async ({ faucet, places }, body) => {
    const fields = readFields(body, ['address', 'token', 'amount']);
    const token = fields.account('token');
    const { symbols, addresses } = tokensOf(places);
    if (token !== zero && !addresses.includes(token))
      throw new HttpError(400, `There is no token ${token} here: take ${symbols.join(', ')}, or the zero address.`);
    const [hash] = await faucet.give(fields.account('address'), [{ token, amount: fields.units('amount') }]);
    return { tx_hash: hash };
  }),
  route('mine', async ({ chain }, body) => {
    await chain.mine(readFields(body, ['blocks']).whole('blocks', 1, mostBlocks));
    return { height: chain.tip().number };
  }),
  route('fault', ({ chain, server }, body) => {
    const names = ['next_transaction', 'rpc'] as const;
    const fields = readFields(body, names);
    if (onlyOne(fields, names) === 'rpc') server.setFault(fields.choice('rpc', ['away', 'lags', 'lies', 'back']));
    else chain.setNextTransaction(fields.choice('next_transaction', ['reverts', 'drops']));
    return {};
  }),
  route('reorg', async ({ chain }, body) => {
    const fields = readFields(body, ['depth', 'drop']);
    const depth = fields.whole('depth', 1, deepestReorg);
    const dropped = fields.has('drop') ? fields.hashes('drop', mostDropped) : [];
    await chain.reorg(depth, new Set(dropped.map((hash) => `0x${hash}`)));
    return { height: chain.tip().number };
  }),
  route('fees', async ({ chain }, body) => {
    await chain.setBaseFee(readFields(body, ['base_fee_gwei']).gwei('base_fee_gwei'));
    return {};
  }),
  // Of the node itself, which says with it whose transactions its faults are about.
  route('node', async ({ chain, faucet, places }, body) => {
    const account = readFields(body, ['address']).account('address');
    if (chain.nodeAccount() === account) return {};
    await faucet.give(account, startingGifts(places));
    chain.record.set('node', account);
    return {};
  }),
];

function route(name: string, answer: (network: EvmNetwork, body: unknown) => unknown): (typeof evmRoutes)[number] {
  return {
    method: 'POST',
    path: new RegExp(`^/sandbox/evm/(\\d{1,9})/${name}$`),
    answer({ evm }, body, [chainId = '']) {
      const network = evm.get(chainId);
      if (network !== undefined) return answer(network, body);
      const there = evm.size === 0 ? 'there is none' : `there are ${[...evm.keys()].join(' and ')}`;
      throw new HttpError(404, `There is no chain ${chainId} in this sandbox: ${there}.`);
    },
  };
}

function tokensOf({ tokens }: EvmPlaces): { symbols: string[]; addresses: string[] } {
  return {
    symbols: tokens.map(({ symbol, address }) => `${symbol} ${address}`),
    addresses: tokens.map(({ address }) => address.toLowerCase()),
  };
}

function startingGifts({ tokens }: EvmPlaces): Gift[] {
  const pegged = tokens.filter(({ symbol }) => bitcoins.includes(symbol));
  const own = pegged.some(({ address }) => address === zero) ? 0n : startingGasCoins * oneCoin;
  return [
    ...pegged.map(({ address, decimals }) => ({ token: address, amount: startingBitcoins * 10n ** BigInt(decimals) })),
    ...(own === 0n ? [] : [{ token: zero, amount: own }]),
  ];
}

/** What `GET /sandbox` says of the chains; nothing where there are none. */
export function evmState({ evm }: EvmNetworks): { evm?: Readonly<Record<string, EvmEndpoints>> } {
  if (evm.size === 0) return {};
  const chains = [...evm].map(([chainId, { server, places }]): [string, EvmEndpoints] => [
    chainId,
    { rpcUrl: server.url, secondRpcUrl: server.secondUrl, ...places },
  ]);
  return { evm: Object.fromEntries(chains) };
}
