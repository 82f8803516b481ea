import { encodeAbiParameters, encodeEventTopics, parseAbi, toHex, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { lockEventOf, lockTopics } from '../../../engine/adapters/evm/events.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';

const abi = parseAbi([
  'event SwapCreated(bytes32 indexed preimageHash, address indexed refundAddress, address indexed claimAddress, address token, uint256 amount, uint256 timelock, bytes32 key)',
  'event SwapRedeemed(bytes32 indexed preimageHash, bytes32 indexed key, bytes32 preimage)',
  'event SwapRefunded(bytes32 indexed preimageHash, bytes32 indexed key)',
]);
/** Version 3, which has no key in its events. */
const older = parseAbi(['event SwapRedeemed(bytes32 indexed preimageHash, bytes32 preimage)']);

const account = (byte: string) => asEvmAddress(fromHex(byte.repeat(20)));
const preimage = asPreimage(new Uint8Array(32).fill(7));
const terms = {
  preimageHash: sha256Of(preimage),
  amount: 2n ** 200n,
  token: account('33'),
  refundAddress: account('44'),
  claimAddress: account('55'),
  timelock: 1_800_000_000n,
};
const key = swapKey(terms);
const hash = toHex(terms.preimageHash);
const place = {
  address: toHex(account('77')),
  transactionHash: `0x${'AB'.repeat(32)}`,
  blockHash: `0x${'cd'.repeat(32)}`,
  blockNumber: '0x10',
  logIndex: '0x2',
  removed: false,
};

const created = {
  ...place,
  topics: encodeEventTopics({
    abi,
    eventName: 'SwapCreated',
    args: { preimageHash: hash, refundAddress: toHex(terms.refundAddress), claimAddress: toHex(terms.claimAddress) },
  }) as Hex[],
  data: encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'bytes32' }],
    [toHex(terms.token), terms.amount, terms.timelock, toHex(key)],
  ),
};
const ended = { preimageHash: hash, key: toHex(key) };
const redeemed = {
  ...place,
  topics: encodeEventTopics({ abi, eventName: 'SwapRedeemed', args: ended }) as Hex[],
  data: toHex(preimage),
};
const refunded = {
  ...place,
  topics: encodeEventTopics({ abi, eventName: 'SwapRefunded', args: ended }) as Hex[],
  data: '0x',
};

describe('a log of an HTLC', () => {
  it('is read whole, whatever the case of its letters', () => {
    const at = { htlc: account('77'), txid: 'ab'.repeat(32), blockHash: 'cd'.repeat(32), height: 16, logIndex: 2 };
    const of = { ...at, preimageHash: terms.preimageHash, key };
    expect([created, redeemed, refunded].map(lockEventOf)).toEqual([
      { ...of, what: { is: 'created', terms } },
      { ...of, what: { is: 'redeemed', preimage } },
      { ...of, what: { is: 'refunded' } },
    ]);
  });

  it('is asked for by the first word of each event', () => {
    expect(lockTopics).toEqual([created.topics[0], redeemed.topics[0], refunded.topics[0]]);
  });

  it('is none with a word too few, too many or of another form, or with a key of another lock', () => {
    const [topic = '0x', ...words] = created.topics;
    const upper = `0x01${(words[1] ?? '').slice(4)}` as Hex;
    const others: object[] = [
      { ...created, topics: [topic, ...words, words[0]] },
      { ...created, topics: [topic, words[0], words[1]] },
      { ...created, topics: [] },
      { ...created, topics: [topic, words[0], upper, words[2]] },
      { ...created, data: `${created.data}${'00'.repeat(32)}` },
      { ...created, data: created.data.slice(0, -64) },
      { ...created, data: created.data.replace('33'.repeat(20), '34'.repeat(20)) },
      { ...created, data: `${created.data.slice(0, -2)}00` },
      { ...redeemed, data: '0x' },
      { ...redeemed, data: `${redeemed.data}00` },
      { ...redeemed, topics: [...redeemed.topics, redeemed.topics[1]] },
      { ...refunded, data: toHex(preimage) },
      { ...place, data: toHex(preimage), topics: encodeEventTopics({ abi: older, args: { preimageHash: hash } }) },
      { ...redeemed, removed: true },
      { ...redeemed, blockNumber: null },
    ];
    expect(others.map(lockEventOf)).toEqual(others.map(() => null));
  });

  it.each([31, 33, 64])('fault 18, evm: of a claim with a preimage of %i bytes is none', (length) => {
    expect(lockEventOf({ ...redeemed, data: toHex(new Uint8Array(length).fill(7)) })).toBeNull();
  });

  it('that is no log at all is no answer', () => {
    for (const wrong of [null, [], 'log', { ...redeemed, data: '0x0' }, { ...redeemed, address: '0x77' }])
      expect(() => lockEventOf(wrong)).toThrow();
  });
});
