import { encodeFunctionData, bytesToHex, hexToBytes, parseAbi } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import { approveCall, claimCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import type { SeenLock } from '../../../engine/legs/evm/events.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmCall, EvmPort, LockEvent } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import type { WantedLocks } from '../../../engine/legs/evm/wanted-locks.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import {
  aWhile,
  client,
  clientSecret,
  evmScene,
  hash,
  network,
  ours,
  preimage,
  secret,
  until,
  type EvmScene,
} from './scene.ts';

const strangerSecret = new Uint8Array(32).fill(0x29);
const stranger = accountOf(strangerSecret);
const worthless = asEvmAddress(new Uint8Array(20).fill(0xee));
const createFor = parseAbi(['function create(bytes32,uint256,address,address,address,uint256)']);
const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;

function fundedChain(): EvmChain {
  const chain = createEvmChain(network);
  for (const who of [ours, client, stranger]) {
    chain.give(null, who, 10n ** 18n);
    chain.give(chain.token, who, 10n ** 9n);
  }
  return chain;
}

function sender(chain: EvmChain, of: Uint8Array) {
  const port = chain.port(of);
  let nonce = 0;
  return async (call: EvmCall): Promise<void> => {
    const { bytes } = port.sign({ ...call, nonce: nonce++, gas: 200_000n, fees });
    expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
  };
}

/** By the six-argument `create`: refundable to whomever its maker says. */
function createCall(chain: EvmChain, lock: LockTerms): EvmCall {
  const args = [
    bytesToHex(lock.preimageHash),
    lock.amount,
    ...([lock.token, lock.refundAddress, lock.claimAddress].map((one) => bytesToHex(one)) as ['0x', '0x', '0x']),
    lock.timelock,
  ] as const;
  return { to: chain.htlc, value: 0n, data: hexToBytes(encodeFunctionData({ abi: createFor, args })) };
}

const watchOf = (scene: EvmScene, locks: WantedLocks) =>
  ({ on: 'evm-lock', network, htlc: scene.chain.htlc, hash, wanted: locks, since: 0 }) as const;

function last(scene: EvmScene, id: string): readonly SeenLock[] | null {
  const event = scene.heard(id, 'evm.seen').at(-1);
  return event?.is === 'evm.seen' ? event.locks : null;
}

const htlcOf = (scene: EvmScene) => ({ network, htlc: scene.chain.htlc });

it('fault 61, evm: forty larger locks of its hash and token hide neither our lock nor its claim', async () => {
  const chain = fundedChain();
  const scene = await evmScene({ chain });
  const lock = scene.lock();
  const id = scene.open([], [watchOf(scene, { are: 'one', key: swapKey(lock) })]);
  const [weSend, theySend, clientSends] = [secret, strangerSecret, clientSecret].map((one) => sender(chain, one));
  await weSend?.(approveCall(chain.token, chain.htlc, lock.amount));
  await weSend?.(lockCall(scene.contracts, lock));
  chain.mine();
  await theySend?.(approveCall(chain.token, chain.htlc, 10n ** 9n));
  for (let i = 1n; i <= 40n; i++) {
    const token = i % 2n === 0n ? worthless : chain.token;
    const refundAddress = i % 3n === 0n ? ours : stranger;
    await theySend?.(createCall(chain, { ...lock, token, refundAddress, amount: lock.amount + i }));
  }
  chain.mine();
  await clientSends?.(claimCall(scene.contracts, lock, preimage));
  chain.mine(2);
  const [own] = await until(() => last(scene, id)?.[0]?.state.is === 'redeemed' && last(scene, id));
  expect(own).toMatchObject({ terms: lock, state: { preimage } });
  expect(scene.store.evmLocks.of(htlcOf(scene), hash)).toHaveLength(2);
  chain.mine(20);
  await until(() => scene.store.evmLocks.others(htlcOf(scene), hash) === 40);
});

it('fault 62, evm: of all that a stranger locks beside the client’s lock nothing is told of or kept', async () => {
  const chain = fundedChain();
  const scene = await evmScene({ chain });
  const agreed = scene.lock({ refundAddress: scene.contracts.coordinator, claimAddress: ours });
  const { amount: least, ...lock } = agreed;
  const id = scene.open([], [watchOf(scene, { are: 'agreed', lock, least, by: client })]);
  const short = { ...agreed, amount: 900n };
  chain.note(swapKey(agreed), client);
  chain.note(swapKey(short), client);
  chain.note(swapKey({ ...agreed, amount: 950n }), stranger);
  const made = [
    ...Array.from({ length: 40 }, (_, i) => ({ ...agreed, token: worthless, amount: 10n ** 9n + BigInt(i) })),
    ...Array.from({ length: 40 }, (_, i) => ({ ...agreed, amount: BigInt(i + 1) })),
    { ...agreed, amount: 950n },
    { ...agreed, timelock: agreed.timelock - 1n },
    { ...agreed, refundAddress: stranger },
    short,
    agreed,
  ];
  const theySend = sender(chain, strangerSecret);
  await theySend(approveCall(chain.token, chain.htlc, 10n ** 9n));
  for (const one of made) await theySend(createCall(chain, one));
  chain.mine();
  const locks = await until(() => (last(scene, id)?.length ?? 0) > 0 && last(scene, id));
  expect(locks.map(({ terms, depositor }) => [terms, depositor])).toEqual([
    [short, client],
    [agreed, client],
  ]);
  expect(scene.store.evmLocks.of(htlcOf(scene), hash)).toHaveLength(2);
});

it('fault 66, evm: of three thousand locks of a hash none is asked after, and nobody’s one once', async () => {
  const chain = fundedChain();
  let questions = 0;
  const theirs: LockEvent[] = [];
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      depositorIn: (...of) => {
        questions += 1;
        return honest.depositorIn(...of);
      },
      events: async (range) => [
        ...theirs.filter(({ height }) => height >= range.from && height <= range.to),
        ...(await honest.events(range)),
      ],
    }),
  });
  const agreed = scene.lock({ refundAddress: scene.contracts.coordinator, claimAddress: ours });
  const { amount: least, ...lock } = agreed;
  const theySend = sender(chain, strangerSecret);
  await theySend(approveCall(chain.token, chain.htlc, 10n ** 9n));
  await theySend(createCall(chain, { ...agreed, amount: least - 1n }));
  await theySend(createCall(chain, agreed));
  chain.mine();
  const [first] = await chain.port(secret).events({ htlc: chain.htlc, from: 0, to: 1 });
  for (let i = 0n; i < 3_000n; i++) {
    const terms = { ...agreed, token: worthless, amount: least + i };
    const of = { key: swapKey(terms), logIndex: Number(i) + 10, what: { is: 'created', terms } } as const;
    theirs.push({ ...(first as LockEvent), ...of });
  }
  const id = scene.open([], [watchOf(scene, { are: 'agreed', lock, least, by: client })]);
  const [one] = await until(() => last(scene, id)?.length === 1 && last(scene, id));
  for (let i = 0; i < 5; i++) {
    chain.mine();
    await aWhile(60);
  }
  expect([one?.depositor, questions, scene.store.evmLocks.of(htlcOf(scene), hash).length]).toEqual(['nobody', 2, 1]);
});

it('whose a lock is may be unknown for a while: it is told of, and asked after until it is known', async () => {
  const chain = fundedChain();
  let isAway = true;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      depositorIn: (...of) =>
        isAway ? Promise.reject(evmFailure('evm-away', 'safe', 'away')) : honest.depositorIn(...of),
    }),
  });
  const agreed = scene.lock({ refundAddress: scene.contracts.coordinator, claimAddress: ours });
  const { amount: least, ...lock } = agreed;
  chain.note(swapKey(agreed), client);
  const id = scene.open([], [watchOf(scene, { are: 'agreed', lock, least, by: client })]);
  const theySend = sender(chain, strangerSecret);
  await theySend(approveCall(chain.token, chain.htlc, 10n ** 9n));
  await theySend(createCall(chain, agreed));
  chain.mine();
  const [before] = await until(() => last(scene, id)?.length === 1 && last(scene, id));
  expect(before?.depositor).toBeNull();
  isAway = false;
  chain.mine();
  await until(() => last(scene, id)?.[0]?.depositor === null || last(scene, id)?.[0]?.depositor);
  const [after] = await until(() => last(scene, id)?.[0]?.depositor !== null && last(scene, id));
  expect(after?.depositor).toEqual(client);
});

it('fault 341, evm: a claim is told while nobody answers whose another lock of its hash is', async () => {
  const chain = fundedChain();
  let answer = (): void => undefined;
  const nobodyAnswers = new Promise<null>((resolve) => (answer = () => resolve(null)));
  const scene = await evmScene({ chain, lying: () => ({ depositorIn: () => nobodyAnswers }) });
  onTestFinished(() => answer());
  const lock = scene.lock();
  const { amount: least, ...agreed } = scene.lock({ refundAddress: scene.contracts.coordinator, claimAddress: ours });
  const id = scene.open([], [watchOf(scene, { are: 'one', key: swapKey(lock) })]);
  scene.open([], [watchOf(scene, { are: 'agreed', lock: agreed, least, by: client })]);
  const [weSend, theySend, clientSends] = [secret, strangerSecret, clientSecret].map((one) => sender(chain, one));
  await weSend?.(approveCall(chain.token, chain.htlc, lock.amount));
  await weSend?.(lockCall(scene.contracts, lock));
  chain.mine();
  await theySend?.(approveCall(chain.token, chain.htlc, 10n ** 9n));
  await theySend?.(createCall(chain, { ...agreed, amount: least }));
  await clientSends?.(claimCall(scene.contracts, lock, preimage));
  chain.mine();
  const isTold = (): boolean =>
    scene.heard(id, 'evm.seen').some((event) => event.is === 'evm.seen' && event.locks[0]?.state.is === 'redeemed');
  await until(isTold);
});
