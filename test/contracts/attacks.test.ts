import {
  type Address,
  type Hex,
  decodeErrorResult,
  decodeFunctionData,
  encodeFunctionData,
  maxUint256,
  parseAbi,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errors } from './kit/artifacts.ts';
import { type Contract, type Sending, call } from './kit/chain.ts';
import {
  type Erc20World,
  type Lock,
  approve,
  asCall,
  balance,
  claim,
  client,
  clientLock,
  collabRefund,
  create,
  freshLock,
  fund,
  give,
  hashOf,
  keyTerms,
  lockDirectly,
  lockForClient,
  openErc20,
  redeem,
  refund,
  refundAndExecute,
  refundTo,
  service,
  signClaim,
  stranger,
  swapCalls,
} from './kit/erc20.ts';
import { permit2Address, sign } from './kit/signing.ts';

let world: Erc20World;
let actor: Contract;
let start: Hex;

beforeAll(async () => {
  world = await openErc20();
  actor = await world.chain.deploy('Actor');
  for (const token of [world.btc, world.usd]) {
    await give(world.chain, token, client.address, 10_000n);
    await approve(world.chain, token, client.address, permit2Address);
  }
  start = await world.chain.snapshot();
});
afterAll(() => world.chain.stop());
beforeEach(async () => {
  await world.chain.goBack(start);
  start = await world.chain.snapshot();
});

const refusal = (sending: Sending) => world.chain.refusalOf(sending);
const btcOf = (who: Address) => balance(world.chain, world.btc, who);
const isActive = (lock: Lock): Promise<boolean> => world.chain.read(world.htlc, 'isActive', ...keyTerms(lock));

/** What the actor tries when control comes to it. */
async function prepare({ to, data = '0x' }: Sending): Promise<void> {
  await world.chain.send(call(stranger.address, actor, 'prepare', [to, data]));
}

/** How the actor's attempt ended: with which error, or null where it succeeded. */
async function attempt(): Promise<string | null> {
  expect(await world.chain.read(actor, 'reached')).toBe(true);
  if (await world.chain.read<boolean>(actor, 'succeeded')) return null;
  const answer = await world.chain.read<Hex>(actor, 'answer');
  return decodeErrorResult({ abi: errors(), data: answer }).errorName;
}

const poke = () => asCall(call(zeroAddress, actor, 'poke', []));

describe('an outsider who watches the queue', () => {
  it('gains nothing by sending the claim of somebody else first', async () => {
    const lock = await lockDirectly(world);
    await world.chain.send(await claim(world, lock, {}, { from: stranger.address }));
    expect([await btcOf(client.address), await btcOf(stranger.address)]).toEqual([11_000n, 0n]);
  });

  it("cannot hand a claim's signature to the HTLC itself, nor through a contract of his own", async () => {
    const lock = await lockDirectly(world);
    const signature = await signClaim(world, lock);
    const noCalls = '0x569e75fc77c1a856f6daaf9e69d8a9566ca34aa47f9133711ce065a571af0cfd';
    const terms = [
      lock.preimage,
      lock.amount,
      lock.token,
      lock.refundAddress,
      lock.timelock,
      client.address,
      lock.token,
    ];
    const direct = call(stranger.address, world.htlc, 'redeemBySig', [...terms, 0n, noCalls, ...signature]);
    expect(await refusal(direct)).toBe('SwapNotActive');
    expect(await refusal(call(stranger.address, actor, 'act', [direct.to, 0n, direct.data]))).toBe('SwapNotActive');
  });

  it("cannot take a funding's signature to Permit2 himself", async () => {
    const { data } = await fund(world, await clientLock(world));
    expect(await refusal({ from: stranger.address, to: permit2Address, data: await asTransfer(data ?? '0x') })).toBe(
      'InvalidSigner',
    );
  });

  it("cannot have the coordinator take a funding's signature to Permit2 for him", async () => {
    const { data } = await fund(world, await clientLock(world));
    const theft = { target: permit2Address, value: 0n, callData: await asTransfer(data ?? '0x') };
    const lock = await lockDirectly(world, { claimAddress: stranger.address });
    expect(await refusal(await claim(world, lock, { calls: [theft] }, { signer: stranger }))).toBe('RestrictedTarget');
  });

  it('who makes the same lock first pays for it himself, and the client keeps his money', async () => {
    const lock = await clientLock(world);
    await give(world.chain, world.btc, stranger.address, lock.amount);
    await approve(world.chain, world.btc, stranger.address, world.htlc.address);
    await world.chain.send(create(world, lock, stranger.address));
    expect(await refusal(await fund(world, lock))).toBe('SwapExists');
    expect([await btcOf(client.address), await btcOf(stranger.address)]).toEqual([10_000n, 0n]);
  });

  /** The transfer that the coordinator would make, to the stranger instead. */
  async function asTransfer(data: Hex): Promise<Hex> {
    const { args } = decodeFunctionData({ abi: world.coordinator.abi, data });
    const [, , , , , owner, permit, signature] = args as readonly [
      unknown,
      unknown,
      unknown,
      unknown,
      unknown,
      Address,
      never,
      Hex,
    ];
    const abi = parseAbi([
      'struct Permitted { address token; uint256 amount; }',
      'struct Permit { Permitted permitted; uint256 nonce; uint256 deadline; }',
      'struct Details { address to; uint256 requestedAmount; }',
      'function permitWitnessTransferFrom(Permit permit, Details details, address owner, bytes32 witness, string typeString, bytes signature)',
    ]);
    const details = { to: stranger.address, requestedAmount: 1000n };
    const typeString = await world.chain.read<string>(world.coordinator, 'TYPESTRING_EXECUTE_AND_CREATE');
    return encodeFunctionData({
      abi,
      functionName: 'permitWitnessTransferFrom',
      args: [permit, details, owner, `0x${'00'.repeat(32)}`, typeString, signature],
    });
  }
});

describe('a contract that gets control in the middle', () => {
  it.each(['redeemAndExecute', 'refundTo', 'refundAndExecute'] as const)(
    'cannot re-enter the coordinator by %s',
    async (name) => {
      const victim = await lockForClient(world);
      const own = await lockDirectly(world, { claimAddress: stranger.address });
      await world.chain.moveTo(victim.timelock);
      const inner = {
        redeemAndExecute: () => claim(world, own, {}, { signer: stranger }),
        refundTo: () => refundTo(world, victim),
        refundAndExecute: () => refundAndExecute(world, victim),
      };
      await prepare(await inner[name]());
      await world.chain.send(await claim(world, await lockDirectly(world), { calls: [poke()] }));
      expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
    },
  );

  it.each(['funding', 'refund', 'collaborative refund'] as const)(
    'cannot re-enter the coordinator from a %s',
    async (outer) => {
      const { chain } = world;
      const other = await lockForClient(world);
      const lock = await clientLock(world);
      await prepare(await claim(world, await lockDirectly(world)));
      if (outer === 'funding') await chain.send(await fund(world, lock, { calls: [poke()] }));
      else if (outer === 'collaborative refund')
        await chain.send(await collabRefund(world, other, { calls: [poke()] }));
      else {
        await chain.moveTo(other.timelock);
        await chain.send(refundAndExecute(world, other, { calls: [poke()] }));
      }
      expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
    },
  );

  it('cannot fund in the middle of a claim', async () => {
    await prepare(await fund(world, await clientLock(world)));
    await world.chain.send(await claim(world, await lockDirectly(world), { calls: [poke()] }));
    expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
  });

  it('cannot refund with consent in the middle of a claim', async () => {
    const lock = await lockForClient(world);
    await prepare(await collabRefund(world, lock, { from: actor.address }));
    await world.chain.send(await claim(world, await lockDirectly(world), { calls: [poke()] }));
    expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
  });

  describe('by the hook of a token', () => {
    let hook: Contract;

    beforeEach(async () => {
      hook = await world.chain.deploy('HookToken');
    });

    const listen = () => world.chain.send(call(stranger.address, hook, 'tell', [actor.address]));

    /** Everything of the HTLC that changes something, done by the actor. */
    const acts = {
      create: async () => create(world, await ready(), actor.address),
      'create for itself': async () => {
        const lock = await ready();
        const terms = [hashOf(lock), lock.amount, lock.token, lock.claimAddress, lock.timelock];
        return call(actor.address, world.htlc, 'create', terms);
      },
      redeem: async () => redeem(world, await lockDirectly(world, { claimAddress: actor.address })),
      refund: async () => expired((lock) => refund(world, lock)),
      'refund to another': async () => expired((lock) => refund(world, lock, actor.address, stranger.address)),
    };

    async function ready(): Promise<Lock> {
      await give(world.chain, world.btc, actor.address, 1000n);
      await approve(world.chain, world.btc, actor.address, world.htlc.address);
      return freshLock(world, { refundAddress: actor.address });
    }

    async function expired(act: (lock: Lock) => Sending): Promise<Sending> {
      const lock = await lockDirectly(world, {
        refundAddress: actor.address,
        timelock: (await world.chain.now()) + 500n,
      });
      return act(lock);
    }

    it.each(Object.keys(acts) as (keyof typeof acts)[])('cannot re-enter the HTLC by: %s', async (name) => {
      const outer = await lockDirectly(world, { token: hook.address });
      const inner = await acts[name]();
      if (name.startsWith('refund')) await world.chain.moveTo((await world.chain.now()) + 1000n);
      await prepare(inner);
      await listen();
      await world.chain.send(redeem(world, outer));
      expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
      await prepare({ from: zeroAddress, to: zeroAddress });
      await world.chain.send(call(stranger.address, hook, 'tell', [zeroAddress]));
      expect(await refusal(inner)).toBeNull();
    });

    it.each(['create', 'create for itself', 'redeemBySig', 'refund', 'refund to another', 'refundBySig'] as const)(
      'cannot re-enter the HTLC from: %s',
      async (outer) => {
        const { chain, htlc, htlcDomain } = world;
        const lock = outer.startsWith('create')
          ? await freshLock(world, { token: hook.address })
          : await lockDirectly(world, { token: hook.address });
        await give(chain, hook, service.address, lock.amount);
        await approve(chain, hook, service.address, htlc.address);
        await prepare(await acts.redeem());
        await listen();
        const terms = [hashOf(lock), lock.amount, lock.token, lock.claimAddress, lock.timelock];
        if (outer.startsWith('refund') && outer !== 'refundBySig') await chain.moveTo(lock.timelock);
        if (outer === 'create') await chain.send(create(world, lock));
        else if (outer === 'create for itself') await chain.send(call(service.address, htlc, 'create', terms));
        else if (outer === 'refund') await chain.send(refund(world, lock));
        else if (outer === 'refund to another')
          await chain.send(refund(world, lock, service.address, stranger.address));
        else if (outer === 'redeemBySig') await chain.send(await claim(world, lock));
        else {
          const { amount, token, refundAddress, timelock } = lock;
          const struct = { preimageHash: hashOf(lock), amount, token, refundAddress, timelock };
          const rest = { destination: service.address, sweepToken: token, minAmountOut: 0n };
          const consent = await sign(client, 'Refund', htlcDomain, { ...struct, caller: service.address, ...rest });
          await chain.send(
            call(service.address, htlc, 'refundBySig', [...Object.values(struct), ...Object.values(rest), ...consent]),
          );
        }
        expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
      },
    );

    it.each(['redeem', 'refund'] as const)('sees a %s done before it is paid', async (act) => {
      const { chain, htlc } = world;
      const lock = await lockDirectly(world, { token: hook.address });
      await prepare(call(actor.address, htlc, 'isActive', keyTerms(lock)));
      await listen();
      if (act === 'refund') await chain.moveTo(lock.timelock);
      await chain.send(act === 'redeem' ? redeem(world, lock) : refund(world, lock));
      expect(await attempt()).toBeNull();
      expect(BigInt(await chain.read<Hex>(actor, 'answer'))).toBe(0n);
    });
  });
});

describe('a token that cheats', () => {
  async function readyWith(token: Contract, amount = 1000n): Promise<Lock> {
    const { chain, htlc } = world;
    await give(chain, token, service.address, amount);
    await approve(chain, token, service.address, htlc.address);
    return freshLock(world, { token: token.address });
  }

  it('fault 11, evm: by taking a fee cannot be locked, and so no other lock of it is short', async () => {
    const fee = await world.chain.deploy('FeeToken');
    expect(await refusal(create(world, await readyWith(fee)))).toBe('AmountMismatch');
  });

  it('fault 11, evm: by answering false locks nothing', async () => {
    const dead = await world.chain.deploy('FalseToken');
    const lock = await readyWith(dead);
    await world.chain.send(call(stranger.address, dead, 'die', [true]));
    expect(await refusal(create(world, lock))).toBe('SafeERC20FailedOperation');
  });

  it.each(['redeem', 'refund', 'claim by signature'] as const)(
    'fault 11, evm: by answering false is not paid out by a %s, and can be later',
    async (act) => {
      const { chain } = world;
      const dead = await chain.deploy('FalseToken');
      const lock = await readyWith(dead);
      await chain.send(create(world, lock));
      await chain.send(call(stranger.address, dead, 'die', [true]));
      if (act === 'refund') await chain.moveTo(lock.timelock);
      const sending =
        act === 'redeem' ? redeem(world, lock) : act === 'refund' ? refund(world, lock) : await claim(world, lock);
      expect(await refusal(sending)).toBe('SafeERC20FailedOperation');
      await chain.send(call(stranger.address, dead, 'die', [false]));
      await chain.send(sending);
      expect(await isActive(lock)).toBe(false);
    },
  );

  it('fault 11, evm: by returning nothing is locked, claimed and refunded like any other', async () => {
    const { chain, htlc } = world;
    const silent = await chain.deploy('SilentToken');
    await give(chain, silent, client.address, 2000n);
    await approve(chain, silent, client.address, permit2Address);
    const first = await clientLock(world, { token: silent.address });
    const second = await clientLock(world, { token: silent.address });
    for (const lock of [first, second]) await chain.send(await fund(world, lock, { source: silent }));
    await chain.send(redeem(world, first));
    await chain.moveTo(second.timelock);
    await chain.send(refundTo(world, second));
    const balances = await Promise.all(
      [service.address, client.address, htlc.address].map((who) => balance(chain, silent, who)),
    );
    expect(balances).toEqual([1000n, 1000n, 0n]);
  });

  it('by refusing to change an allowance is not blocked by what an attacker approved', async () => {
    const { chain, exchange, btc, coordinator } = world;
    const silent = await chain.deploy('SilentToken');
    await give(chain, silent, client.address, 1000n);
    await approve(chain, silent, client.address, permit2Address);
    const jam = asCall(call(zeroAddress, silent, 'approve', [exchange.address, maxUint256]));
    const own = await lockDirectly(world, { claimAddress: stranger.address });
    await chain.send(await claim(world, own, { calls: [jam], destination: stranger.address }, { signer: stranger }));
    const calls = swapCalls(world, silent, 1000n, btc.address, 500n, coordinator.address);
    const lock = await clientLock(world, { amount: 500n });
    expect(await refusal(await fund(world, lock, { source: silent, sourceAmount: 1000n, calls }))).toBeNull();
  });
});

describe("calls of an attacker's own swap", () => {
  it('cannot take what somebody allowed the coordinator', async () => {
    const { btc, coordinator, chain } = world;
    await approve(chain, btc, client.address, coordinator.address);
    const theft = asCall(call(zeroAddress, btc, 'transferFrom', [client.address, stranger.address, 1000n]));
    const own = await lockDirectly(world, { claimAddress: stranger.address });
    const sending = await claim(world, own, { calls: [theft], destination: stranger.address }, { signer: stranger });
    expect(await refusal(sending)).toBe('DangerousSelector');
  });

  it('cannot refund the expired locks of others to himself', async () => {
    const victim = await lockForClient(world);
    const own = await lockDirectly(world, { claimAddress: stranger.address });
    await world.chain.moveTo(victim.timelock);
    const theft = asCall(refund(world, victim, world.coordinator.address));
    const sending = await claim(world, own, { calls: [theft], destination: stranger.address }, { signer: stranger });
    expect(await refusal(sending)).toBe('RestrictedTarget');
  });

  it("find nothing of a client's left in the coordinator", async () => {
    const { btc, usd, coordinator, chain } = world;
    const calls = swapCalls(world, usd, 400n, btc.address, 1100n, coordinator.address, 500n);
    await chain.send(
      await fund(world, await clientLock(world, { amount: 1100n }), { source: usd, sourceAmount: 500n, calls }),
    );
    const own = await lockDirectly(world, { claimAddress: stranger.address });
    await chain.send(
      await claim(world, own, { sweepToken: usd.address, destination: stranger.address }, { signer: stranger }),
    );
    expect(await balance(chain, usd, stranger.address)).toBe(0n);
  });
});

describe('what was signed elsewhere', () => {
  it('is worth nothing on a chain of another number with the same contracts', async () => {
    const other = await openErc20(1);
    try {
      const lock = await lockDirectly(other);
      expect([other.htlc.address, other.coordinator.address]).toEqual([world.htlc.address, world.coordinator.address]);
      expect(await other.chain.refusalOf(await claim(world, lock))).toBe('SwapNotActive');
      expect(await other.chain.refusalOf(await claim(other, lock))).toBeNull();
    } finally {
      await other.chain.stop();
    }
  });

  it('is worth nothing at a second deployment of the same contract', async () => {
    const { chain } = world;
    const htlc = await chain.deploy('HTLCErc20');
    const coordinator = await chain.deploy('HTLCCoordinator', [htlc.address, permit2Address]);
    const second = { ...world, htlc, coordinator };
    const lock = await lockDirectly(second);
    const signature = await signClaim(world, lock, {}, { caller: coordinator.address });
    const noCalls: never[] = [];
    const args = [lock.preimage, lock.amount, lock.token, lock.refundAddress, lock.timelock, noCalls, lock.token];
    const sending = call(stranger.address, coordinator, 'redeemAndExecute', [
      ...args,
      0n,
      client.address,
      ...signature,
    ]);
    expect(await refusal(sending)).toBe('SwapNotActive');
  });
});
