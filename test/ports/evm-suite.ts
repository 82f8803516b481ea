import { encodeFunctionData, recoverAddress, toHex, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { asPreimage } from '../../engine/domain/hash.ts';
import { fromHex, toHex as hex } from '../../engine/domain/hex.ts';
import { erc20 } from '../../engine/legs/evm/abi.ts';
import { claimCall, lockCall, refundCall } from '../../engine/legs/evm/calls.ts';
import type { SwapContracts } from '../../engine/legs/evm/contracts.ts';
import { permit2 } from '../../engine/legs/evm/deployments.ts';
import type { EvmCall, EvmPort, EvmReceipt, EvmTransaction, GasFees } from '../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import { sha256Of } from '../../engine/legs/secret.ts';

/** What the tests do to the chain past the port. */
export interface EvmControls {
  readonly chainId: number;
  readonly genesis: string;
  readonly contracts: SwapContracts;
  /**
   * Eight decimals, or zero for the coin; of it the account of the port has enough, and of the coin that pays for gas.
   */
  readonly token: EvmAddress;
  mine(blocks: number): Promise<void>;
  /** Seconds that a lock lasts whose timelock the tests wait for. */
  readonly lockSeconds: number;
  /** The next block has this time at least. */
  passTo(time: bigint): Promise<void>;
  /** While it is off a transaction waits for `mine`; null where blocks come as they come. */
  readonly mineAtOnce: ((on: boolean) => Promise<void>) | null;
}

export interface OpenEvm {
  readonly port: EvmPort;
  readonly controls: EvmControls;
  stop(): Promise<void>;
}

const nobody = asEvmAddress(fromHex('0b'.repeat(20)));
const lockAmount = 1_000n;

/** What every RPC of an EVM chain must let us do, and how it says no. */
export function evmPortSuite(name: string, open: () => Promise<OpenEvm>): void {
  describe(`the EVM port: ${name}`, () => {
    let port: EvmPort;
    let controls: EvmControls;
    let stop: () => Promise<void> = async () => undefined;

    beforeAll(async () => {
      ({ port, controls, stop } = await open());
    }, 60_000);
    afterAll(() => stop());

    async function transactionOf(call: EvmCall, more: Partial<EvmTransaction> = {}): Promise<EvmTransaction> {
      const simulation = await port.simulate(call);
      if (simulation.is === 'reverts') throw new Error(simulation.reason);
      const { mined } = await port.nonces();
      return { ...call, nonce: mined, gas: (simulation.gas * 12n) / 10n, fees: await port.gasFees(), ...more };
    }

    /** Once the tip has come to it: a receipt may be there a moment earlier (facts/evm.md 22). */
    async function receiptOf(txid: string): Promise<EvmReceipt> {
      for (;;) {
        const receipt = await port.receipt(txid);
        if (receipt !== null && (await port.tip()).height >= receipt.height) return receipt;
      }
    }

    /** Sends and waits until it is mined. */
    async function carryOut(call: EvmCall): Promise<EvmReceipt & { readonly txid: string }> {
      const { txid, bytes } = port.sign(await transactionOf(call));
      expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
      return { ...(await receiptOf(txid)), txid };
    }

    const isNative = (): boolean => controls.contracts.kind === 'native';

    /** A coin needs no leave to be taken. */
    async function approve(amount: bigint): Promise<void> {
      if (isNative()) return;
      const args = [toHex(controls.contracts.htlc), amount] as const;
      const data = encodeFunctionData({ abi: erc20, functionName: 'approve', args });
      await carryOut({ to: controls.token, value: 0n, data: fromHex(data.slice(2)) });
      expect(await port.allowance(controls.token, port.account(), controls.contracts.htlc)).toBe(amount);
    }

    it('knows the HTLC of ours by its code, and no other', async () => {
      const { contracts } = controls;
      const others = [nobody, contracts.coordinator, permit2];
      const answers = [contracts.htlc, ...others].map((htlc) => port.isOurs({ ...contracts, htlc }));
      expect(await Promise.all(answers)).toEqual([true, false, false, false]);
    });

    it('knows whether code stands at all of some addresses', async () => {
      const { htlc, coordinator } = controls.contracts;
      const answers = [[htlc, coordinator], [htlc, nobody], [nobody]].map((addresses) => port.stands(addresses, 1));
      expect(await Promise.all(answers)).toEqual([true, false, false]);
    });

    let secrets = 0;

    /** Ours, claimed by us too: the port has one account. */
    async function lockTerms(seconds = 3_600) {
      const preimage = asPreimage(new Uint8Array(32).fill((secrets += 1)));
      const { time } = await port.tip();
      const terms: LockTerms = {
        preimageHash: sha256Of(preimage),
        amount: lockAmount,
        token: controls.token,
        refundAddress: port.account(),
        claimAddress: port.account(),
        timelock: BigInt(time + seconds),
      };
      return { terms, preimage };
    }

    function eventsSince(from: number, to: number) {
      return port.events({ htlc: controls.contracts.htlc, from, to });
    }

    it('says which chain it is, and its first block', async () => {
      expect(await port.identity()).toEqual({ chainId: controls.chainId, genesis: controls.genesis });
    });

    it('follows the tip, and has nothing to say against its RPCs', async () => {
      const before = await port.tip();
      await controls.mine(3);
      const tip = await port.tip();
      expect(tip.height).toBeGreaterThanOrEqual(before.height + 3);
      expect(tip.time).toBeGreaterThanOrEqual(before.time);
      expect(tip.hash).toMatch(/^[0-9a-f]{64}$/);
      expect(port.disagreement()).toBeNull();
    });

    it('signs a digest by its account', async () => {
      const digest = new Uint8Array(32).fill(5);
      const { v, r, s } = port.signDigest(digest);
      const signature = { v: BigInt(v), r: toHex(r), s: toHex(s) };
      const signer = await recoverAddress({ hash: toHex(digest), signature });
      expect(signer.toLowerCase()).toBe(toHex(port.account()));
    });

    it('locks and claims, and tells both by the events of the contract', async () => {
      const { terms, preimage } = await lockTerms();
      const { height: from } = await port.tip();
      await approve(lockAmount);
      expect(await port.isActive(controls.contracts.htlc, terms)).toBe(false);
      const lock = await carryOut(lockCall(controls.contracts, terms));
      expect(lock.ok).toBe(true);
      expect(await port.isActive(controls.contracts.htlc, terms, { agreed: true })).toBe(true);
      const claim = await carryOut(claimCall(controls.contracts, terms, preimage));
      const shared = { htlc: controls.contracts.htlc, preimageHash: terms.preimageHash, key: swapKey(terms) };
      const place = ({ txid, height, blockHash }: typeof lock) => ({ txid, height, blockHash });
      const created = { ...shared, ...place(lock), logIndex: 0, what: { is: 'created', terms } };
      const redeemed = { ...shared, ...place(claim), what: { is: 'redeemed', preimage } };
      expect(await eventsSince(from, claim.height)).toMatchObject([created, redeemed]);
      expect(await eventsSince(from, lock.height)).toMatchObject([created]);
      expect(await eventsSince(claim.height, claim.height)).toMatchObject([redeemed]);
      expect(lock.events).toMatchObject([created]);
      expect(await port.isActive(controls.contracts.htlc, terms)).toBe(false);
    });

    it('takes back what is past its timelock, and says in words why not before', async () => {
      const { terms } = await lockTerms(controls.lockSeconds);
      await approve(lockAmount);
      const { transfers } = await carryOut(lockCall(controls.contracts, terms));
      const { token, contracts } = controls;
      const moved = { token, from: port.account(), to: contracts.htlc, amount: lockAmount };
      expect(transfers).toMatchObject(contracts.kind === 'native' ? [] : [moved]);
      expect(await port.simulate(refundCall(controls.contracts, terms))).toMatchObject({
        is: 'reverts',
        reason: 'TimelockNotExpired()',
      });
      await controls.passTo(terms.timelock);
      const refund = await carryOut(refundCall(controls.contracts, terms));
      expect(await eventsSince(refund.height, refund.height)).toMatchObject([
        { key: swapKey(terms), what: { is: 'refunded' } },
      ]);
    });

    it('says what a contract reverts with, and sends nothing for it', async () => {
      const { terms, preimage } = await lockTerms();
      const before = await port.nonces();
      const answer = await port.simulate(claimCall(controls.contracts, terms, preimage));
      expect(answer).toMatchObject({ is: 'reverts', reason: `SwapNotActive(${toHex(swapKey(terms))}, 0)` });
      expect(await port.nonces()).toEqual(before);
    });

    it('tells of a transaction that is mined and reverted, and what it cost', async () => {
      const { terms, preimage } = await lockTerms();
      const balance = await port.balance(asEvmAddress(new Uint8Array(20)), port.account());
      const { mined: nonce } = await port.nonces();
      const call = claimCall(controls.contracts, terms, preimage);
      const { txid, bytes } = port.sign({ ...call, nonce, gas: 200_000n, fees: await port.gasFees() });
      expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
      const receipt = await receiptOf(txid);
      expect(receipt).toMatchObject({ ok: false, events: [] });
      expect(await port.balance(asEvmAddress(new Uint8Array(20)), port.account())).toBe(balance - receipt.cost);
      expect(receipt.cost).toBeGreaterThan(0n);
    });

    it('knows nothing of a transaction that was never sent', async () => {
      expect(await port.receipt('ab'.repeat(32))).toBeNull();
      expect(await port.receipt('ab'.repeat(32), { agreed: true })).toBeNull();
    });

    it('takes the same bytes again and what pays more, and says when their nonce is used', async () => {
      const pay = { to: nobody, value: 1n, data: new Uint8Array() };
      const { mined } = await port.nonces();
      // Where nothing keeps a transaction from being mined, the one before it does.
      const held = controls.mineAtOnce !== null;
      const first = await transactionOf(pay, { nonce: held ? mined : mined + 1 });
      const { bytes, txid } = port.sign(first);
      await controls.mineAtOnce?.(false);
      try {
        expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
        expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
        expect(await port.nonces()).toEqual({ mined, pending: held ? mined + 1 : mined });
        const other = port.sign({ ...first, value: 2n });
        expect(await port.broadcast(other.bytes)).toEqual({ is: 'underpriced' });
        const raised = port.sign({ ...first, value: 3n, fees: dearer(first.fees) });
        expect(await port.broadcast(raised.bytes)).toEqual({ is: 'accepted' });
        if (held) await controls.mine(1);
        else await carryOut(pay);
        expect((await receiptOf(raised.txid)).ok).toBe(true);
        expect(await port.receipt(txid)).toBeNull();
        expect(await port.broadcast(other.bytes)).toEqual({ is: 'nonce-used' });
      } finally {
        await controls.mineAtOnce?.(true);
      }
    });

    it('counts what is mined of any account, and nothing that waits', async () => {
      const own = async (): Promise<number> => (await port.minedOf(port.account())).mined;
      const before = await own();
      const { bytes, txid } = port.sign(await transactionOf({ to: nobody, value: 1n, data: new Uint8Array() }));
      const counts: number[] = [];
      await controls.mineAtOnce?.(false);
      try {
        expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
        if (controls.mineAtOnce !== null) counts.push(await own());
        if (controls.mineAtOnce !== null) await controls.mine(1);
        await receiptOf(txid);
        counts.push(await own());
      } finally {
        await controls.mineAtOnce?.(true);
      }
      expect([counts.map((count) => count - before), await port.minedOf(nobody)]).toEqual([
        controls.mineAtOnce === null ? [1] : [0, 1],
        { mined: 0 },
      ]);
    });

    it('hands on why the node does not take a transaction', async () => {
      const call = { to: nobody, value: 10n ** 30n, data: new Uint8Array() };
      const { mined: nonce } = await port.nonces();
      const { bytes } = port.sign({ ...call, nonce, gas: 21_000n, fees: await port.gasFees() });
      expect(await port.broadcast(bytes)).toMatchObject({
        is: 'refused',
        reason: expect.stringMatching(/insufficient/i) as string,
      });
    });

    it('tells of tokens and coins, and refuses to read what is none', async () => {
      if (!isNative()) expect(await port.token(controls.token)).toMatchObject({ decimals: 8, symbol: 'WBTC' });
      expect(await port.balance(controls.token, port.account())).toBeGreaterThan(0n);
      expect(await port.balance(asEvmAddress(new Uint8Array(20)), nobody)).toBeGreaterThanOrEqual(0n);
      await expect(port.token(nobody)).rejects.toMatchObject({ code: 'evm-unclear' });
      const { terms } = await lockTerms();
      await expect(port.isActive(nobody, terms)).rejects.toMatchObject({ code: 'evm-unclear' });
    });

    it('reads a view, and tells a contract that refuses from an RPC that does not answer', async () => {
      const call = (data: Hex) => ({ to: controls.contracts.htlc, data: fromHex(data.slice(2)) });
      const version = await port.read(call('0x3644e515'));
      expect(version).toHaveLength(32);
      await expect(port.read(call('0xdeadbeef'))).rejects.toMatchObject({ code: 'evm-reverted' });
    });

    it('finds nobody in the coordinator for a lock that it did not make', async () => {
      const { terms } = await lockTerms();
      const { coordinator } = controls.contracts;
      const { height, hash } = await port.tip();
      expect(await port.depositor(coordinator, swapKey(terms))).toBeNull();
      expect(await port.depositorIn({ height, hash }, coordinator, swapKey(terms))).toBe('nobody');
    });

    it('has no events above the tip, and none in a range that is empty', async () => {
      const { height } = await port.tip();
      expect(await eventsSince(height, height - 1)).toEqual([]);
      await expect(eventsSince(height, height + 50)).rejects.toMatchObject({ code: 'evm-away' });
    });

    it('prices gas so that it is mined', async () => {
      const fees = await port.gasFees();
      expect(hex(port.sign(await transactionOf({ to: nobody, value: 0n, data: new Uint8Array() })).bytes)).toMatch(
        fees.is === 'legacy' ? /^f8/ : /^02f8/,
      );
      const receipt = await carryOut({ to: nobody, value: 0n, data: new Uint8Array() });
      expect(receipt.ok).toBe(true);
    });
  });
}

/** A quarter more, in both fees. */
function dearer(fees: GasFees): GasFees {
  const more = (wei: bigint): bigint => (wei * 5n) / 4n + 1n;
  return fees.is === 'legacy'
    ? { ...fees, price: more(fees.price) }
    : { ...fees, most: more(fees.most), tip: more(fees.tip) };
}
