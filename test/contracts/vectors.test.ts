import {
  type Address,
  type Hex,
  hashTypedData,
  keccak256,
  pad,
  toFunctionSelector,
  toEventSelector,
  toHex,
} from 'viem';
import { describe, expect, it, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex as plain } from '../../engine/domain/hex.ts';
import { swapKey } from '../../engine/legs/evm/swap-key.ts';
import {
  collabRefund,
  domainSeparator,
  executeAndCreate,
  redeem,
  redeemNative,
  refund,
  typeHash,
} from '../../engine/legs/evm/typed-data.ts';
import { type ContractName, artifactOf } from './kit/artifacts.ts';
import { account, hashOfCalls, permitData, sign, typedData } from './kit/signing.ts';

const token: Address = '0x18084fbA666a33d37592fA2633fD49a74DD93a88';
const coordinator: Address = '0x57Ef7025F9f6F135e8338e18EB3027acB9D4785C';
const htlc: Address = '0x5317dccd55DDe04d5F7Ba2e34fE8B1B214F1e022';
const claimer: Address = '0x5ce278AAec6d9fa67bFcaF98512fE5175dFEebac';
const tether: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const preimageHash: Hex = '0xec4916dd28fc4c10d78e287ca5d9cc51ee1ae73cbfde08c6b37324cbfaac8bc5';
const amount = 9949426433915211n;
const timelock = 1774793591n;

const bytes = (hex: string): Uint8Array => fromHex(hex.slice(2));
const address = (hex: string) => asEvmAddress(bytes(hex));

function selectorsOf(name: ContractName): string[] {
  return artifactOf(name).abi.flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : []));
}

test.each<[ContractName, readonly string[]]>([
  [
    'HTLCErc20',
    (
      'b3fa9a13 06799dee 776211c1 a2aa3de1 36504721 e8477ae8 bb14f656 160c723c 72043def eb84e7f2 ' +
      '45ca0a33 ffa1ad74 3644e515'
    ).split(' '),
  ],
  ['HTLCCoordinator', '750e3d3c ee2837cf bc61d4e7 29240837 2c1b9d7c 3d4dff7b 6f28f31d 6afdd850'.split(' ')],
  ['HTLCNative', '292b27c1 29daf3ce d592e483 35cd4ccb 352e7c21 24499b44 160c723c 72043def 45ca0a33'.split(' ')],
  ['HTLCNativeCoordinator', '81cf2ad5 81838615 824b53cf a7b3be10 3d4dff7b 6b5cc64e'.split(' ')],
])('%s has every published selector', (name, published) => {
  expect(selectorsOf(name)).toEqual(expect.arrayContaining(published.map((selector) => `0x${selector}`)));
});

test.each(['HTLCErc20', 'HTLCNative'] as const)('%s has the three events of version 4', (name) => {
  const events = artifactOf(name).abi.flatMap((item) =>
    item.type === 'event' ? [[item.name, toEventSelector(item)]] : [],
  );
  expect(Object.fromEntries(events)).toMatchObject({
    SwapCreated: '0x127ba86dffa89675eb78a2ca7203c29f865789ebec607b9424ed9f8d3d533e9f',
    SwapRedeemed: '0x935f11873f0f4154186d30d8d4181c7694ac59f800873f9c44b0a5122043660a',
    SwapRefunded: '0xdb5ade4effa253aae9bef95994b76da3fe75eb0d634e715ec4261c6fd55c06f1',
  });
});

test('the native contracts have the published errors', () => {
  const errors = [...artifactOf('HTLCNative').abi, ...artifactOf('HTLCNativeCoordinator').abi].flatMap((item) =>
    item.type === 'error'
      ? [keccak256(toHex(`${item.name}(${item.inputs.map((input) => input.type).join(',')})`)).slice(0, 10)]
      : [],
  );
  for (const selector of ['631a77d4', '28c6a0cc', '491f0768', '122fb650', '82b42900'])
    expect(errors).toContain(`0x${selector}`);
});

test.each([
  ['Redeem', redeem, '156f72eaee02d7fbc4958f8098121ff7f54147ee36221593e93067a7f187ce10'],
  ['Redeem of the native coin', redeemNative, '74ff405c3eb2504549cab9fef588f80b9fd717e2a30387e6ff7743feeb1f80e4'],
  ['Refund', refund, 'f5f1e23b7a04036935e522ca1b86ed2ff65367d07d1717588e72789d34417a0b'],
  ['CollabRefund', collabRefund, '8ccec3a6de1ce289ae59477cae22360d9f468f1d9c6232caf98ce744c2c722e6'],
  ['ExecuteAndCreate', executeAndCreate, '01f068030ecb4faa4fc19679afdcbe9c2619d263df5345b2b316a22b6ac0a346'],
] as const)('the type hash of %s is the published one', (_name, struct, hash) => {
  expect(plain(typeHash(struct))).toBe(hash);
});

test.each([
  ['HTLCErc20', '4', 1, htlc, '72fa4365dcfefb2c9cf55801ed0107065f67b24eca22d2aadb3e9a1dae945b52'],
  ['HTLCCoordinator', '3', 1, coordinator, '47b0e172248f571647d5e50301bd4263a6869c4211f5b8ebac4c7d43fec39536'],
  [
    'Permit2',
    null,
    137,
    '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    'f033048cb2764f596bc4d98e089fa38bb84b4be3d5da2e77f9bfac0e4d6c68ca',
  ],
] as const)('the domain separator of %s is the published one', (name, version, chainId, contract, separator) => {
  expect(plain(domainSeparator({ name, version, chainId, contract: address(contract) }))).toBe(separator);
});

describe('the swap key', () => {
  const terms = {
    preimageHash: asSha256(bytes(preimageHash)),
    amount,
    refundAddress: address(coordinator),
    claimAddress: address(claimer),
    timelock,
  };

  it('of a token is the published one', () => {
    expect(plain(swapKey({ ...terms, token: address(token) }))).toBe(
      '286f69866dcd2c37d8408b5f6bd0839395f76322c8bb1d3ed5d972513c7384a2',
    );
  });

  it('of the native coin is the published one', () => {
    expect(plain(swapKey({ ...terms, token: asEvmAddress(new Uint8Array(20)) }))).toBe(
      '95836d4ad8548acf084af3d12973612020a72fca8b778bf1a9aebae6639926a4',
    );
  });
});

describe('the hash of the calls', () => {
  it('of none is not the hash of nothing', () => {
    expect(hashOfCalls([])).toBe('0x569e75fc77c1a856f6daaf9e69d8a9566ca34aa47f9133711ce065a571af0cfd');
  });

  it('of one approval is the published one', () => {
    const callData: Hex = `0x095ea7b3${pad('0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae').slice(2)}${toHex(10n ** 18n, { size: 32 }).slice(2)}`;
    expect(hashOfCalls([{ target: '0x6c84a8f1c29108F47a79964b5Fe888D4f4D0dE40', value: 0n, callData }])).toBe(
      '0x84f836bc8da0e944453c3e037207caaee430f909c2971815244bd02f69d430da',
    );
  });
});

const noCalls = hashOfCalls([]);
const abHash: Hex = `0x${'ab'.repeat(32)}`;

describe('what is signed', () => {
  const message = {
    preimage: toHex(1n, { size: 32 }),
    amount,
    token,
    sender: claimer,
    timelock,
    caller: coordinator,
    destination: '0x72cf2114CB5aFaE7D058F9Df75962E79cd44dB85',
    sweepToken: tether,
    minAmountOut: 0n,
    callsHash: '0x4fc7ceab20b2ee1133ae071804d6a8eb9ff883b785cfa245b00e9a4bd32226e9',
  };
  const domain = { name: 'HTLCErc20', version: '4', chainId: 1, verifyingContract: htlc };

  it('for a claim is the published digest, and the published signature', async () => {
    expect(hashTypedData(typedData('Redeem', domain, message))).toBe(
      '0x58926ea415d32b5bdd204aed9518032effd9fd78719bc3315e92fa7817f3f708',
    );
    expect(await sign(account('ab'), 'Redeem', domain, message)).toEqual([
      27n,
      '0xf91b995ac4f2ab16c50fc30e780b00ad16201993b85e79add7d89d0debe870eb',
      '0x6921e4c4e7819feb4839bb1bf39fe2ad7d5092ce87a5984993b774d962d8c45b',
    ]);
    expect(account('ab').address).toBe('0xe239cdc5fbe977a8a141B72194D3CF8c41bC5BC6');
  });

  it('for a claim of version 6 is another digest', () => {
    expect(hashTypedData(typedData('Redeem', { ...domain, version: '6' }, message))).toBe(
      '0x7e1d1fb31ee815f0d45bfd61d3d463e2cc32afb361c1f3460aa6125c7570533e',
    );
  });

  it('for a claim of the native coin is the published digest, and the published signature', async () => {
    const native = {
      preimage: `0x${'11'.repeat(32)}`,
      amount: 100000000n,
      sender: `0x${'33'.repeat(20)}`,
      timelock: 1800000000n,
      caller: `0x${'55'.repeat(20)}`,
      destination: '0x7564105E977516C53bE337314c7E53838967bDaC',
      sweepToken: `0x${'00'.repeat(20)}`,
      minAmountOut: 0n,
      callsHash: `0x${'00'.repeat(32)}`,
    };
    const on = {
      name: 'HTLCNative',
      version: '1',
      chainId: 30,
      verifyingContract: '0x1000000000000000000000000000000000000001',
    } as const;
    expect(hashTypedData(typedData('RedeemNative', on, native))).toBe(
      '0x1397895b4d20525c9ecb07e36978478ad900e12dec0c63474100b53407416c09',
    );
    expect(await sign(account('44'), 'RedeemNative', on, native)).toEqual([
      27n,
      '0xc4c95466427c3cb06f1fe5787ba79e0d6fca9a3f0b63db8f0fe1778c23c233e6',
      '0x1dc3d44c7270f846d8093cac1c2641c51ed02c3e26e546ab49c383a21223fbf1',
    ]);
  });

  it('for a collaborative refund is the published digest', () => {
    const on = { name: 'HTLCCoordinator', version: '3', chainId: 1, verifyingContract: coordinator };
    const collab = {
      preimageHash: abHash,
      amount,
      token,
      claimAddress: claimer,
      timelock,
      caller: `0x${'44'.repeat(20)}`,
      sweepToken: token,
      minAmountOut: 0n,
      callsHash: noCalls,
    };
    expect(hashTypedData(typedData('CollabRefund', on, collab))).toBe(
      '0x6ec765ea91a29c9cd3a3785be51e1608f83c44a98608d0462974489b625d2860',
    );
  });

  it('for a funding is the published digest', () => {
    const permit = { permitted: { token: tether, amount: 1000000n }, nonce: 1n, deadline: 1800000000n };
    const witness = {
      preimageHash: abHash,
      token,
      claimAddress: claimer,
      refundAddress: coordinator,
      timelock,
      callsHash: noCalls,
    };
    expect(hashTypedData(permitData(137, coordinator, permit, witness))).toBe(
      '0xca18ca0825cf05ed90177622afe285dc71033f4325ec32cbbd645a4345e1b0b7',
    );
  });
});
