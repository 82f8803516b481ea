import { describe, expect, it } from 'vitest';
import { readMacaroon } from '../../../engine/adapters/lnd/macaroon.ts';
import { bakeCommand, judgeRights, neededPermissions } from '../../../engine/adapters/lnd/permissions.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { unix } from '../../../engine/domain/time.ts';
import { adminRights, bakeMacaroon } from '../../../engine/sandbox/wire/lnd/macaroon.ts';

/**
 * Baked by lnd 0.20.2-beta on a regtest network that is gone: `lncli bakemacaroon`, and the first with `--timeout 3600
 * --ip_address 127.0.0.1`.
 */
const baked = {
  withConditions:
    '0201036c6e640224030a10f4d79061304d9d41a132a02d6e5115041201301a0c0a04696e666f12047265616400022a74696d652d6265666f726520323032362d31312d32315431343a33363a32392e3833303739333839375a000210697061646472203132372e302e302e31000006207aae9195e5c64b41eb17e12b8fde4ebefba7cd7139c9cbcfd7a1f3b1dbbe67b5',
  twoCalls:
    '0201036c6e640256030a10f1d79061304d9d41a132a02d6e5115041201301a3e0a0375726912182f6c6e7270632e4c696768746e696e672f476574496e666f121d2f6c6e7270632e4c696768746e696e672f4c6973744368616e6e656c73000006203553d688bebf2f218d10c53a96b92cc5868947a28ec12254553ad10ce317982b',
};

describe('a macaroon of lnd', () => {
  it('is read as it was baked: rights, conditions, and the end that a condition sets', () => {
    expect([readMacaroon(fromHex(baked.withConditions)), readMacaroon(fromHex(baked.twoCalls))]).toEqual([
      {
        rights: ['info:read'],
        caveats: ['time-before 2026-11-21T14:36:29.830793897Z', 'ipaddr 127.0.0.1'],
        expiresAt: unix(Date.UTC(2026, 10, 21, 14, 36, 29) / 1_000),
      },
      { rights: ['uri:/lnrpc.Lightning/GetInfo', 'uri:/lnrpc.Lightning/ListChannels'], caveats: [], expiresAt: null },
    ]);
  });

  it('that is cut short, of another kind or no macaroon at all is not read', () => {
    const bytes = fromHex(baked.withConditions);
    const cut = Array.from({ length: 100 }, (_, length) => bytes.subarray(0, length));
    const otherFormat = Uint8Array.from([1, ...bytes.subarray(1)]);
    expect(
      [...cut, otherFormat, new TextEncoder().encode('-----BEGIN CERTIFICATE-----')]
        .map(readMacaroon)
        .filter((read) => read !== null),
    ).toEqual([]);
  });
});

describe('the rights of a macaroon', () => {
  /** What swaps go on without. */
  const forBooks = /\/(ChannelBalance|ListPayments|ListInvoices|GetTransactions)$/;
  const judged = (rights: readonly string[]) => {
    const macaroon = readMacaroon(bakeMacaroon(new Uint8Array(32), rights));
    if (macaroon === null) throw new Error('the sandbox bakes what cannot be read');
    return judgeRights(macaroon);
  };

  it('of the bake command are enough and not one too many', () => {
    const rights = bakeCommand.split(' ').filter((word) => word.startsWith('uri:'));
    expect(judged(rights)).toEqual({ lacking: [], unlisted: [], excess: [] });
    for (const left of rights) {
      const where = forBooks.test(left) ? 'unlisted' : 'lacking';
      expect(judged(rights.filter((right) => right !== left))).toEqual({
        lacking: [],
        unlisted: [],
        excess: [],
        [where]: [left.slice(4)],
      });
    }
  });

  it('are told apart: what lacks by the call, what is too much by the right', () => {
    expect(judged(adminRights)).toEqual({
      lacking: [],
      unlisted: [],
      excess: adminRights.filter((right) => !Object.values<string>(neededPermissions).includes(right)),
    });
    expect(judged(['invoices:write', 'invoices:read', 'onchain:write', 'uri:/lnrpc.Lightning/StopDaemon'])).toEqual({
      lacking: Object.entries(neededPermissions).flatMap(([call, right]) =>
        right.startsWith('invoices') || forBooks.test(call) ? [] : [call],
      ),
      unlisted: ['ChannelBalance', 'ListPayments', 'GetTransactions'].map((call) => `/lnrpc.Lightning/${call}`),
      excess: ['onchain:write', 'uri:/lnrpc.Lightning/StopDaemon'],
    });
  });
});
