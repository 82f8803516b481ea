import { expect, test, vi } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import type { OnlyIf } from '../../../engine/legs/only-if.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { defaultPolicy as policy } from '../../../engine/legs/timeout-policy.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import { client, clientSecret, network, ours as ourAccount, secret as ourSecret } from '../evm/scene.ts';
import { bitcoinScene, newWorld, ours, type BitcoinScene } from './scene.ts';
import { anyGas } from '../support.ts';
import { clientPublic, clientSpend, scriptOf, termsOf } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

const hour = 3_600;
const amount = sats(60_000);
const aWhile = (ms = 700) => new Promise((resolve) => setTimeout(resolve, ms));

/** A funding under a condition; told of by what waits in the mempool. */
function fund(scene: BitcoinScene, onlyIf: OnlyIf): string {
  const terms = termsOf(clientPublic, ours, scene.world.tip().mtp + 12 * hour);
  return scene.open({ onlyIf }, [
    {
      do: 'htlc.fund',
      script: scriptOf(terms),
      amount,
      mostFee: sats(5_000),
      lockBefore: unix(terms.refundLocktime - 2 * 3_600),
      scriptSince: 0,
    },
  ]);
}

async function isSent(scene: BitcoinScene, id: string): Promise<void> {
  await eventually(() => scene.rows(id)[0]?.state === 'accepted', 'it is sent');
}

/** What the client paid us on the chain, and the condition that it is there. */
function clientsCoin({ world }: Pick<BitcoinScene, 'world'>, held = 50_000n, confirmations = 1) {
  const refundLocktime = world.tip().mtp + 40 * hour;
  const terms = termsOf(ours, clientPublic, refundLocktime);
  const coin = world.faucet(scriptOf(terms), sats(held));
  if (coin === null) throw new Error('the faucet has no coin');
  const onlyIf: OnlyIf = {
    notAfter: unix(world.tip().mtp + hour),
    funded: {
      script: scriptOf(terms),
      outpoint: coin,
      sourceAmount: sats(50_000),
      confirmations,
      refundLocktime: unix(refundLocktime),
      lockRefundLocktime: unix(world.tip().mtp + 12 * hour),
      policy,
    },
  };
  return { terms, coin, onlyIf };
}

test('nothing is given against a coin before it is mined, nor once it is gone again', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000, 200_000);
  const first = clientsCoin(scene);
  const id = fund(scene, first.onlyIf);
  await aWhile();
  expect([scene.at(id), scene.rows(id)[0]?.state]).toEqual(['sending', 'prepared']);
  scene.world.mine(1);
  await isSent(scene, id);
  const second = clientsCoin(scene);
  scene.world.mine(1);
  scene.world.reorg(1, [second.coin.txid]);
  const other = fund(scene, second.onlyIf);
  await aWhile();
  expect(scene.rows(other)[0]?.state).toBe('prepared');
});

test('fault 70, bitcoin: nothing is given against a coin before it is as deep as was agreed', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const { onlyIf } = clientsCoin(scene, 50_000n, 3);
  scene.world.mine(2);
  const id = fund(scene, onlyIf);
  await aWhile();
  expect([scene.at(id), scene.rows(id)[0]?.state]).toEqual(['sending', 'prepared']);
  scene.world.mine(1);
  await isSent(scene, id);
});

test('nothing is given against a coin that holds too little', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const { onlyIf } = clientsCoin(scene, 49_999n);
  scene.world.mine(1);
  const id = fund(scene, onlyIf);
  await eventually(() => scene.at(id) === 'over: onchain.refused', 'it is refused');
  expect(scene.heard(id, 'onchain.refused')[0]).toMatchObject({
    why: 'late',
    reason: expect.stringMatching(/49999 sats/),
  });
});

test('fault 36, bitcoin: nothing is given against a coin whose spend one source shows and another not', async () => {
  const world = newWorld();
  const lies: Partial<BitcoinPort> = {};
  const scene = await bitcoinScene({
    world,
    lying: (port) => ({ coins: (...asks) => (lies.coins ?? port.coins)(...asks) }),
  });
  await scene.deposit(200_000);
  const { terms, coin, onlyIf } = clientsCoin(scene);
  world.mine(1);
  const listed = [{ outpoint: coin, script: scriptOf(terms), amount: sats(50_000), height: world.tip().height }];
  const honest = scene.runtime.ports.bitcoin?.coins;
  world.include([
    clientSpend({ ...terms, refundLocktime: terms.refundLocktime }, { ...coin, amount: sats(50_000) }, { claim: false })
      .bytes,
  ]);
  world.mine(1);
  expect(await honest?.([scriptOf(terms)])).toEqual([]);
  const id = fund(scene, onlyIf);
  await eventually(() => scene.rows(id).length > 0, 'it is prepared');
  lies.coins = async (scripts) => (scripts.length === 1 ? listed : []);
  await aWhile();
  expect(scene.rows(id)[0]?.state).toBe('prepared');
});

/** A client's lock on an EVM chain whose clock is the world's. */
async function clientsLock(chain: EvmChain, world: BitcoinScene['world'], seconds = 40 * hour) {
  for (const who of [ourAccount, client]) chain.give(null, who, 10n ** 18n);
  chain.give(chain.token, client, 1_000_000n);
  chain.setTime(world.clock.now());
  const lock = {
    preimageHash: asSha256(new Uint8Array(32).fill(9)),
    amount: 1_000n,
    token: chain.token,
    refundAddress: client,
    claimAddress: ourAccount,
    timelock: BigInt(world.clock.now() + seconds),
  };
  const contracts = {
    kind: 'erc20' as const,
    htlc: chain.htlc,
    coordinator: asEvmAddress(new Uint8Array(20).fill(0xc3)),
    htlcVersion: '4',
    coordinatorVersion: '3',
  };
  const port = chain.port(clientSecret);
  const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;
  let txid = '';
  for (const call of [approveCall(chain.token, chain.htlc, lock.amount), lockCall(contracts, lock)]) {
    const signed = port.sign({ ...call, nonce: (await port.nonces()).pending, gas: 200_000n, fees });
    expect(await port.broadcast(signed.bytes)).toEqual({ is: 'accepted' });
    txid = signed.txid;
  }
  const onlyIf: OnlyIf = {
    notAfter: unix(world.tip().mtp + hour),
    escrow: {
      network,
      htlc: chain.htlc,
      lock,
      txid,
      confirmations: 3,
      agreed: false,
      value: sats(1_000_000),
      htlcRefundLocktime: unix(world.tip().mtp + 12 * hour),
      policy,
    },
  };
  return onlyIf;
}

async function withLock(seconds?: number, lying: (port: EvmPort) => Partial<EvmPort> = () => ({})) {
  const world = newWorld();
  const chain = createEvmChain(network);
  const onlyIf = await clientsLock(chain, world, seconds);
  const honest = chain.port(ourSecret);
  const scene = await bitcoinScene({ world, ports: { [network]: { ...honest, ...lying(honest) } }, evm: anyGas });
  await scene.deposit(200_000);
  return { scene, chain, id: fund(scene, onlyIf) };
}

test('the Bitcoin side of a lock is funded once the lock is buried, and not before', async () => {
  const { scene, chain, id } = await withLock();
  chain.mine(2);
  await aWhile();
  expect([scene.at(id), scene.rows(id)[0]?.state]).toEqual(['sending', 'prepared']);
  chain.mine(1);
  await isSent(scene, id);
});

test('it is not funded against a lock that the client can take back too soon', async () => {
  const { scene, chain, id } = await withLock(16 * hour);
  chain.mine(6);
  await aWhile();
  expect(scene.rows(id)[0]?.state).toBe('prepared');
  scene.world.advance(hour + 60);
  await eventually(() => scene.at(id) === 'over: onchain.refused', 'it is refused');
  expect(scene.heard(id, 'onchain.refused')[0]?.why).toBe('late');
});

test('it is not funded against a lock that a reorganisation took, nor while the RPCs disagree', async () => {
  const reorganised = await withLock();
  reorganised.chain.mine(3);
  reorganised.chain.reorg(3, { drop: true });
  reorganised.chain.mine(6);
  const doubted = await withLock(undefined, () => ({ disagreement: () => 'Two RPCs differ.' }));
  doubted.chain.mine(6);
  await aWhile();
  const stateOf = ({ scene, id }: typeof reorganised) => scene.rows(id)[0]?.state;
  expect([stateOf(reorganised), stateOf(doubted)]).not.toContain('accepted');
});
