import { describe, expect, test } from 'vitest';
import { ownContracts } from '../../engine/adapters/evm/contracts.ts';
import { readConfig, type Config } from '../../engine/config.ts';
import { bitcoinNetworks, evmChainIds, type BitcoinNetwork } from '../../engine/domain/chain.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { ownPair, published } from '../../engine/legs/evm/deployments.ts';

const rpc = ['http://127.0.0.1:1'];

function read(evm: unknown, network: BitcoinNetwork = 'mainnet'): Config | string {
  const content = { network, evm };
  const config = readConfig({ flags: {}, environment: {}, file: { name: 'node.json', content }, stored: null });
  return isRefusal(config) ? config.sentence : config;
}

function chain(id: string, settings: object = {}) {
  const config = read({ [id]: { rpc, ...settings } }, id === '31' ? 'signet' : 'mainnet');
  if (typeof config === 'string') throw new Error(config);
  const one = config.evm[id];
  if (one === undefined) throw new Error('the chain is not there');
  return one;
}

function refused(id: string, settings: object, network: BitcoinNetwork = 'mainnet'): string {
  const config = read({ [id]: { rpc, ...settings } }, network);
  return typeof config === 'string' ? config : 'accepted';
}

/** The published pair of this version. */
function of(version: string, chainId = 137) {
  const pair = published.find((one) => one.version === version && one.chainIds.includes(chainId));
  if (pair === undefined) throw new Error(`nothing is published as version ${version}`);
  return { htlc: `0x${toHex(pair.htlc)}`, coordinator: `0x${toHex(pair.coordinator)}` };
}

const others =
  'evm.137.contracts names published contracts that this node makes no swaps with: leave them out, and deploy those of ' +
  'this node with npm run deploy-contracts.';

describe('what an RPC alone means', () => {
  test('contracts are those that our deployment puts on every chain', () => {
    for (const id of evmChainIds) {
      const [htlc, coordinator] = ownContracts(Number(id));
      expect(ownPair(Number(id))).toMatchObject({ htlc: htlc?.address, coordinator: coordinator?.address });
      expect(chain(id).contracts).toEqual(ownPair(Number(id)));
    }
  });

  test('a chain has its ceiling, token, exchange and floor, one of bitcoin no token and no exchange', () => {
    const facts = (id: string) => {
      const { peggedToken, tokens, dex, relayerFloorWei, agreeAboveSats, gas } = chain(id);
      return [
        gas.maxFeeGwei,
        peggedToken === null ? null : toHex(peggedToken),
        tokens.length,
        dex?.slippageBps ?? null,
        relayerFloorWei > 0n,
        agreeAboveSats,
        gas.maxShareBps,
      ];
    };
    const always = [true, 1_000_000, 5_000];
    expect(['137', '1', '42161', '30', '31'].map(facts)).toEqual([
      [10_000, '1bfd67037b42cf73acf2047067bd4f2c47d9bfd6', 2, 50, ...always],
      [1_000, '18084fba666a33d37592fa2633fd49a74dd93a88', 3, 50, ...always],
      [50, '6c84a8f1c29108f47a79964b5fe888d4f4d0de40', 3, 50, ...always],
      [10, null, 0, null, ...always],
      [10, null, 0, null, ...always],
    ]);
  });
});

describe('what the owner sets', () => {
  test('counts, address by address and number by number', () => {
    const address = (byte: string) => `0x${byte.repeat(20)}`;
    const one = chain('137', {
      contracts: { htlc: address('11'), coordinator: address('22') },
      peggedToken: address('33'),
      tokens: [address('44')],
      dex: { quoter: address('55'), router: address('66') },
      agreeAboveSats: 5,
      gas: { maxFeeGwei: 300 },
      relayerFloorWei: '7',
    });
    expect(one).toMatchObject({
      contracts: { kind: 'erc20', htlcVersion: '4', coordinatorVersion: '3' },
      agreeAboveSats: 5,
      gas: { maxFeeGwei: 300, maxShareBps: 5_000 },
      relayerFloorWei: 7n,
    });
    const { contracts, peggedToken, tokens, dex } = one;
    expect(
      [contracts.htlc, contracts.coordinator, peggedToken, ...tokens, dex?.quoter, dex?.router].map(
        (bytes) => bytes?.[0],
      ),
    ).toEqual([0x11, 0x22, 0x33, 0x44, 0x55, 0x66]);
    expect(chain('137', { dex: null }).dex).toBeNull();
    expect(chain('137', { gas: { maxFeeGwei: 0 } }).gas.maxFeeGwei).toBe(0);
  });

  test('a bundler has an address, how it spells its fields, and somebody who pays or nobody', () => {
    const url = 'https://bundler.example/key';
    expect(chain('137').bundler).toBeNull();
    expect(chain('137', { bundler: { url } }).bundler).toEqual({ url, casing: 'camel', paymaster: null });
    expect(refused('137', { bundler: { url: 'bundler.example' } })).toContain('evm.137.bundler.url');
    expect(refused('137', { bundler: { url, casing: 'kebab' } })).toContain('evm.137.bundler.casing');
  });

  test('a wrong letter of an address is told by its checksum', () => {
    const good = '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6';
    const words = (peggedToken: string) => refused('137', { peggedToken });
    expect([words(good), words(good.toLowerCase())]).toEqual(['accepted', 'accepted']);
    for (const bad of [good.replace('1BFD', '1BFd'), good.slice(0, -1), `${good}00`, good.slice(2), 'WBTC'])
      expect(words(bad)).toBe(
        `The setting evm.137.peggedToken cannot be "${bad}": it takes an address (0x and 40 hex digits, in ` +
          'capital and small letters only if they are its checksum).',
      );
  });

  test('what no swap could be made with is refused in one sentence', () => {
    const address = (byte: string) => `0x${byte.repeat(20)}`;
    expect([
      refused('10', {}),
      refused('31', { peggedToken: address('33') }, 'signet'),
      refused('30', { dex: { quoter: address('55'), router: address('66') } }),
      refused('137', { contracts: { ...of('4'), permit2: address('77') } }),
      refused('137', { contracts: { htlc: address('11'), coordinator: address('11') } }),
      refused('137', { contracts: of('6') }),
      refused('137', { contracts: { ...of('4'), coordinator: address('22') } }),
      refused('30', { contracts: { ...of('1', 30), coordinator: address('22') } }),
      refused('137', { confirmations: [16, 4] }),
    ]).toEqual([
      'evm.10 is no chain that swaps can be on: give one of 137, 1, 42161, 30, 31.',
      'evm.31.peggedToken cannot be set: the coin of chain 31 is bitcoin, and nothing else is swapped there.',
      'evm.30.dex cannot be set: the coin of chain 30 is bitcoin, and nothing else is swapped there.',
      `evm.137.contracts.permit2 cannot be ${address('77')}: clients sign for the one at ` +
        '0x000000000022D473030F116dDEE9F6B43aC78BA3, leave it out.',
      'evm.137.contracts names one contract twice: give the HTLC and the coordinator that is made for it.',
      others,
      others,
      'evm.30.contracts names published contracts that this node makes no swaps with: give version 1 as a pair, or ' +
        'leave them out.',
      'evm.137.confirmations asks for fewer (4) above 0.1 BTC than below it (16): raise the second.',
    ]);
  });
});

test('fault 344, evm: no swap is made with contracts whose locks a client could take without the secret', () => {
  expect(refused('137', { contracts: of('4') })).toBe(others);
  // Those for the coin have no such refund.
  expect(refused('30', { contracts: of('1', 30) })).toBe('accepted');
});

test('fault 193, config: a chain is beside coins of its own worth, and beside all on regtest', () => {
  const chainsOn = bitcoinNetworks.map((network) => [
    network,
    evmChainIds.filter((id) => refused(id, {}, network) === 'accepted'),
  ]);
  expect(Object.fromEntries(chainsOn)).toEqual({
    mainnet: ['137', '1', '42161', '30'],
    signet: ['31'],
    mutinynet: ['31'],
    regtest: ['137', '1', '42161', '30', '31'],
  });
  expect([refused('137', {}, 'mutinynet'), refused('31', {}, 'mainnet')]).toEqual([
    'evm.137 cannot be set on mutinynet: one of the two is for tests, the other for money. mutinynet takes 31.',
    'evm.31 cannot be set on mainnet: one of the two is for tests, the other for money. mainnet takes 137, 1, 42161, 30.',
  ]);
});
