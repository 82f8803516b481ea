import { keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage, asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex, toHex as plain } from '../../../engine/domain/hex.ts';
import { callsHash } from '../../../engine/legs/evm/calls-hash.ts';
import type { SwapContracts } from '../../../engine/legs/evm/contracts.ts';
import { collabRefundDigest, permitDigest, redeemDigest, refundDigest } from '../../../engine/legs/evm/digests.ts';
import { stateByRevert } from '../../../engine/legs/evm/reverts.ts';
import { partsOf, recoverSigner } from '../../../engine/legs/evm/signature.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { account, sign } from '../../contracts/kit/signing.ts';

const bytes = (hex: string): Uint8Array => fromHex(hex.replace('0x', ''));
const address = (hex: string) => asEvmAddress(bytes(hex));
const contracts: SwapContracts = {
  kind: 'erc20',
  htlc: address('5317dccd55dde04d5f7ba2e34fe8b1b214f1e022'),
  coordinator: address('57ef7025f9f6f135e8338e18eb3027acb9d4785c'),
  htlcVersion: '4',
  coordinatorVersion: '3',
};
const lock = {
  preimageHash: asSha256(new Uint8Array(32).fill(0xab)),
  amount: 9949426433915211n,
  token: address('18084fba666a33d37592fa2633fd49a74dd93a88'),
  refundAddress: address('5ce278aaec6d9fa67bfcaf98512fe5175dfeebac'),
  claimAddress: address('5ce278aaec6d9fa67bfcaf98512fe5175dfeebac'),
  timelock: 1774793591n,
};
const tether = address('dac17f958d2ee523a2206206994597c13d831ec7');
const on = { chainId: 1, contracts };

describe('the hash of the calls', () => {
  it('of none is not the hash of nothing', () => {
    expect(plain(callsHash([]))).toBe('569e75fc77c1a856f6daaf9e69d8a9566ca34aa47f9133711ce065a571af0cfd');
  });

  it('of one approval is the published one', () => {
    const data = bytes(
      '095ea7b30000000000000000000000001231deb6f5749ef6ce6943a275a1d3e7486f4eae0000000000000000000000000000000000000000000000000de0b6b3a7640000',
    );
    const target = address('6c84a8f1c29108f47a79964b5fe888d4f4d0de40');
    expect(plain(callsHash([{ target, value: 0n, data }]))).toBe(
      '84f836bc8da0e944453c3e037207caaee430f909c2971815244bd02f69d430da',
    );
  });
});

const claim = {
  lock,
  preimage: asPreimage(bytes(toHex(1n, { size: 32 }))),
  destination: address('72cf2114cb5afae7d058f9df75962e79cd44db85'),
  sweepToken: tether,
  minAmountOut: 0n,
  callsHash: bytes('4fc7ceab20b2ee1133ae071804d6a8eb9ff883b785cfa245b00e9a4bd32226e9'),
};
const published = {
  v: 27,
  r: bytes('f91b995ac4f2ab16c50fc30e780b00ad16201993b85e79add7d89d0debe870eb'),
  s: bytes('6921e4c4e7819feb4839bb1bf39fe2ad7d5092ce87a5984993b774d962d8c45b'),
};

describe('what is signed', () => {
  it('for a claim is the published digest, by the version of the contract', () => {
    expect(plain(redeemDigest(on, claim))).toBe('58926ea415d32b5bdd204aed9518032effd9fd78719bc3315e92fa7817f3f708');
    expect(plain(redeemDigest({ chainId: 1, contracts: { ...contracts, htlcVersion: '6' } }, claim))).toBe(
      '7e1d1fb31ee815f0d45bfd61d3d463e2cc32afb361c1f3460aa6125c7570533e',
    );
  });

  it('for a claim of the native coin is the published digest', () => {
    const native: SwapContracts = {
      kind: 'native',
      htlc: address('1000000000000000000000000000000000000001'),
      coordinator: asEvmAddress(new Uint8Array(20).fill(0x55)),
      htlcVersion: '1',
      coordinatorVersion: null,
    };
    const digest = redeemDigest(
      { chainId: 30, contracts: native },
      {
        lock: {
          amount: 100000000n,
          token: asEvmAddress(new Uint8Array(20)),
          refundAddress: asEvmAddress(new Uint8Array(20).fill(0x33)),
          timelock: 1800000000n,
        },
        preimage: asPreimage(new Uint8Array(32).fill(0x11)),
        destination: address('7564105e977516c53be337314c7e53838967bdac'),
        sweepToken: asEvmAddress(new Uint8Array(20)),
        minAmountOut: 0n,
        callsHash: new Uint8Array(32),
      },
    );
    expect(plain(digest)).toBe('1397895b4d20525c9ecb07e36978478ad900e12dec0c63474100b53407416c09');
    const signer = recoverSigner(digest, {
      v: 27,
      r: bytes('c4c95466427c3cb06f1fe5787ba79e0d6fca9a3f0b63db8f0fe1778c23c233e6'),
      s: bytes('1dc3d44c7270f846d8093cac1c2641c51ed02c3e26e546ab49c383a21223fbf1'),
    });
    expect(`0x${plain(signer ?? new Uint8Array())}`).toBe(account('44').address.toLowerCase());
  });

  it('for a collaborative refund is the published digest of the depositor', () => {
    const caller = asEvmAddress(new Uint8Array(20).fill(0x44));
    expect(plain(collabRefundDigest(on, { lock, caller }))).toBe(
      '6ec765ea91a29c9cd3a3785be51e1608f83c44a98608d0462974489b625d2860',
    );
  });

  it('for a funding is the published digest', () => {
    const permit = { token: tether, amount: 1000000n, nonce: 1n, deadline: 1800000000n };
    expect(plain(permitDigest({ chainId: 137, contracts }, { lock, permit, callsHash: callsHash([]) }))).toBe(
      'ca18ca0825cf05ed90177622afe285dc71033f4325ec32cbbd645a4345e1b0b7',
    );
  });

  it('by us for a refund pays the depositor through the coordinator, in the token of the lock', async () => {
    const depositor = address('72cf2114cb5afae7d058f9df75962e79cd44db85');
    const clientsLock = { ...lock, refundAddress: contracts.coordinator };
    const hex = (part: Uint8Array) => `0x${plain(part)}`;
    const [v, r, s] = await sign(
      account('ab'),
      'Refund',
      { name: 'HTLCErc20', version: '4', chainId: 1, verifyingContract: `0x${plain(contracts.htlc)}` },
      {
        preimageHash: hex(lock.preimageHash),
        amount: lock.amount,
        token: hex(lock.token),
        refundAddress: hex(contracts.coordinator),
        timelock: lock.timelock,
        caller: hex(contracts.coordinator),
        destination: hex(depositor),
        sweepToken: hex(lock.token),
        minAmountOut: 0n,
      },
    );
    const signer = recoverSigner(refundDigest(on, { lock: clientsLock, depositor }), {
      v: Number(v),
      r: bytes(r),
      s: bytes(s),
    });
    expect(hex(signer ?? new Uint8Array())).toBe(account('ab').address.toLowerCase());
  });
});

describe('the signer of a digest', () => {
  const digest = redeemDigest(on, claim);

  it('is whose key made the signature', () => {
    expect(`0x${plain(recoverSigner(digest, published) ?? new Uint8Array())}`).toBe(
      privateKeyToAccount(`0x${'ab'.repeat(32)}`).address.toLowerCase(),
    );
  });

  it('is nobody where contracts refuse the signature', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const upper = bytes(toHex(order - BigInt(`0x${plain(published.s)}`), { size: 32 }));
    const none = new Uint8Array(32);
    const refused = [
      { ...published, v: 28, s: upper },
      { ...published, v: 0 },
      { ...published, v: 1 },
      { ...published, v: 29 },
      { ...published, r: none },
      { ...published, s: none },
      { ...published, r: new Uint8Array(32).fill(0xff) },
      { ...published, r: published.r.subarray(1) },
      { ...published, s: published.s.subarray(1) },
    ];
    expect(refused.map((one) => recoverSigner(digest, one))).toEqual(refused.map(() => null));
  });

  it('is another one for another digest', () => {
    const other = recoverSigner(bytes(keccak256(digest)), published);
    expect(other).not.toEqual(recoverSigner(digest, published));
  });

  it('is read from 65 bytes, and from no other length', () => {
    const whole = Uint8Array.of(...published.r, ...published.s, 27);
    expect([partsOf(whole), partsOf(Uint8Array.of(0, ...whole)), partsOf(whole.subarray(1))]).toEqual([
      published,
      null,
      null,
    ]);
  });
});

describe('what a contract says of a lock by its revert', () => {
  const word = (value: number) => toHex(value, { size: 32 }).slice(2);
  const key = plain(swapKey(lock));

  it.each([
    [`491f0768${key}${word(1)}`, 'active'],
    [`491f0768${key}${word(2)}`, 'redeemed'],
    [`28c6a0cc${key}${word(3)}`, 'refunded'],
    [`28c6a0cc${key}${word(0)}`, 'none'],
    [`28c6a0cc${key}${word(4)}`, null],
    [`491f0768${'00'.repeat(32)}${word(1)}`, null],
    [`491f0768${key}`, null],
    ['', null],
    ['08c379a0', null],
  ])('%s is read as %s', (data, state) => {
    expect(stateByRevert(bytes(data), lock)).toBe(state);
  });
});
