import { type Address, type Hex, decodeFunctionData, padHex, parseAbi, toHex, zeroHash } from 'viem';
import { bytesToHex, hexToBytes } from 'viem/utils';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import {
  base58Key,
  bridgeCall,
  bridgeChainNamed,
  forwardingHook,
  mintRecipient,
} from '../../engine/legs/evm/bridge.ts';
import { type Contract, call } from './kit/chain.ts';
import {
  type Erc20World,
  asCall,
  balance,
  claim,
  client,
  give,
  lockDirectly,
  openErc20,
  stranger,
  swapCalls,
} from './kit/erc20.ts';

let world: Erc20World;
let messenger: Contract;
let adapter: Contract;
let start: Hex;

beforeAll(async () => {
  world = await openErc20();
  messenger = await world.chain.deploy('Messenger');
  adapter = await world.chain.deploy('CCTPBridgeAdapter', [world.usd.address, messenger.address]);
  start = await world.chain.snapshot();
});
afterAll(() => world.chain.stop());
beforeEach(async () => {
  await world.chain.goBack(start);
  start = await world.chain.snapshot();
});

const burnAbi = parseAbi([
  'function depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)',
]);
const recipient = padHex('0x7564105E977516C53bE337314c7E53838967bDaC', { size: 32 });
const hook = bytesToHex(forwardingHook(null));

const bridging = (terms: { domain?: number; to?: Hex; maxFee?: bigint; hookData?: Hex } = {}) =>
  call(stranger.address, adapter, 'bridgeBalance', [
    terms.domain ?? 6,
    terms.to ?? recipient,
    terms.maxFee ?? 200_000n,
    terms.hookData ?? hook,
  ]);
const usdOf = (who: Address) => balance(world.chain, world.usd, who);
const receivedBy = () => world.chain.read<Hex>(messenger, 'received');

/** What the engine builds, sent by a stranger. */
async function send(to: string, recipientText: string, maxFee: bigint, wallet: Uint8Array | null): Promise<void> {
  const chain = bridgeChainNamed(to);
  if (chain === null) throw new Error(`no ${to}`);
  const bytes = mintRecipient(chain, recipientText);
  if (bytes === null) throw new Error(`no recipient on ${to}: ${recipientText}`);
  const burn = { domain: chain.domain, recipient: bytes, maxFee, hookData: forwardingHook(wallet) };
  const { target, data } = bridgeCall(asEvmAddress(hexToBytes(adapter.address)), burn);
  await world.chain.send({ from: stranger.address, to: bytesToHex(target), data: bytesToHex(data) });
}

const word = (value: bigint | number) => toHex(value, { size: 32 }).slice(2);

describe('what reaches the messenger, byte for byte', () => {
  it('for an EVM chain: domain, recipient behind zeros, final burn, and 32 bytes that ask for the mint', async () => {
    await give(world.chain, world.usd, adapter.address, 5_000_000n);
    await send('World Chain', '0x7564105E977516C53bE337314c7E53838967bDaC', 200_000n, null);
    expect(await receivedBy()).toBe(
      [
        '0x779b432d',
        word(5_000_000n),
        word(14),
        '0000000000000000000000007564105e977516c53be337314c7e53838967bdac',
        padHex(world.usd.address, { size: 32 }).slice(2).toLowerCase(),
        zeroHash.slice(2),
        word(200_000n),
        word(2_000),
        word(256),
        word(32),
        '636374702d666f72776172640000000000000000000000000000000000000000',
      ].join(''),
    );
    expect([await usdOf(adapter.address), await usdOf(messenger.address)]).toEqual([0n, 5_000_000n]);
  });

  it('for Solana: the token account as it is, and 65 bytes where it has to be made', async () => {
    const wallet = base58Key('4wBqpZM9xaSheZzJSMawUHDgZ7miWfSsxmfVF5jJpYP3');
    if (wallet === null) throw new Error('the wallet is no key');
    await give(world.chain, world.usd, adapter.address, 5_000_000n);
    await send('Solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 300_000n, wallet);
    const { args } = decodeFunctionData({ abi: burnAbi, data: await receivedBy() });
    const [, domain, to, , , , , hookData] = args;
    expect([domain, to]).toEqual([5, '0xc6fa7af3bedbad3a3d65f36aabc97431b1bbe4c2d2f6e0e47ca60203452f5d61']);
    expect(hookData).toBe(
      `0x636374702d666f7277617264000000000000000000000000${'00000000'}00000021${'01'}${bytesToHex(wallet).slice(2)}`,
    );
    expect((hookData.length - 2) / 2).toBe(65);
  });
});

describe('a claim that goes on', () => {
  it('exchanges into the adapter, burns all of it, and leaves nothing behind', async () => {
    const { chain, btc, usd } = world;
    const lock = await lockDirectly(world);
    const out = swapCalls(world, btc, lock.amount, usd.address, 2_000_000n, adapter.address);
    const calls = [...out, asCall(bridging())];
    await chain.send(await claim(world, lock, { calls, sweepToken: usd.address, minAmountOut: 0n }));
    expect(await usdOf(messenger.address)).toBe(2_000_000n);
    const left = [adapter.address, world.coordinator.address, client.address].map(usdOf);
    expect(await Promise.all(left)).toEqual([0n, 0n, 0n]);
    expect(await chain.read(usd, 'allowance', adapter.address, messenger.address)).toBe(0n);
  });

  it('reverts as a whole where its fee would eat it', async () => {
    const { chain, btc, usd } = world;
    const lock = await lockDirectly(world);
    const out = swapCalls(world, btc, lock.amount, usd.address, 200_000n, adapter.address);
    const calls = [...out, asCall(bridging())];
    const sending = await claim(world, lock, { calls, sweepToken: usd.address, minAmountOut: 0n });
    expect(await chain.refusalOf(sending)).toBe('CallFailed');
  });
});

describe('what the adapter refuses', () => {
  const refusal = (sending: ReturnType<typeof bridging>) => world.chain.refusalOf(sending);

  it('to send on nothing', async () => {
    expect(await refusal(bridging({ maxFee: 0n }))).toBe('NothingToBridge');
  });

  it('to mint for nobody', async () => {
    await give(world.chain, world.usd, adapter.address, 1_000_000n);
    expect(await refusal(bridging({ to: zeroHash }))).toBe('ZeroRecipient');
    expect(await refusal(bridging())).toBeNull();
  });

  it('a fee that leaves nothing', async () => {
    await give(world.chain, world.usd, adapter.address, 1_000_000n);
    expect(await refusal(bridging({ maxFee: 1_000_000n }))).toBe('FeeTooHigh');
    expect(await refusal(bridging({ maxFee: 999_999n }))).toBeNull();
  });

  it('a messenger that does not take it all', async () => {
    await give(world.chain, world.usd, adapter.address, 1_000_000n);
    await world.chain.send(call(stranger.address, messenger, 'leave', [1n]));
    expect(await refusal(bridging())).toBe('NotBurned');
  });

  it('to be answers anew with what it was made: that is what it answers', async () => {
    const answers = await Promise.all(['USDC', 'MESSENGER', 'FINALITY'].map((name) => world.chain.read(adapter, name)));
    const places = [world.usd.address, messenger.address].map((place) => place.toLowerCase());
    expect(answers.map((one) => (typeof one === 'string' ? one.toLowerCase() : one))).toEqual([...places, 2_000]);
  });
});
