import { expect, it } from 'vitest';
import { readConfig } from '../../engine/config.ts';
import { createMarketSettings } from '../../engine/connections/markets.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { unix } from '../../engine/domain/time.ts';
import type { EvmPort } from '../../engine/legs/evm/port.ts';

function chainsOf(evm: unknown) {
  const content = { network: 'regtest', evm };
  const config = readConfig({ flags: {}, environment: {}, file: { name: 'f', content }, stored: {} });
  if (isRefusal(config)) throw new Error(config.sentence);
  return config.evm;
}

/** A connection with nothing behind it. */
const port = {} as EvmPort;
const rpc = ['http://127.0.0.1:1'];
const settingsOf = () =>
  createMarketSettings({ 'evm:137': port, 'evm:42161': port, 'evm:30': port }, () => unix(1_800_000_000));

it('each connected chain has what is usual there: its pegged token, an exchange with tokens, a bridge', () => {
  const settings = settingsOf()(chainsOf({ 137: { rpc }, 42161: { rpc, dex: null }, 30: { rpc }, 1: { rpc } }));
  const rows = [...settings].map(([network, { pegged, dex, bridge, slippageBps }]) => [
    network,
    pegged === null ? null : toHex(pegged).slice(0, 8),
    dex === null ? null : toHex(dex.rules.router).slice(0, 8),
    bridge === null ? null : toHex(bridge.usdc).slice(0, 8),
    slippageBps,
  ]);
  expect(rows.sort()).toEqual([
    ['evm:137', '1bfd6703', '68b34658', '3c499c54', 50],
    ['evm:30', null, null, null, 0],
    ['evm:42161', '6c84a8f1', null, 'af88d065', 0],
  ]);
});

it('an exchange stays, with what it remembers, until its chain is set otherwise', () => {
  const of = settingsOf();
  const before = chainsOf({ 137: { rpc } });
  const first = of(before).get('evm:137')?.dex;
  expect(of(before).get('evm:137')?.dex).toBe(first);
  expect(of(chainsOf({ 137: { rpc } })).get('evm:137')?.dex).not.toBe(first);
});
