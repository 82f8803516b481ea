import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { ConditionWitness, Intent, SingleKey, Transaction, VtxoTaprootTree } from '@arkade-os/sdk';
import type { ArkProvider } from '@arkade-os/sdk';
import { base64, hex } from '@scure/base';
import { SigHash } from '@scure/btc-signer';
import { PortFailure } from '../../engine/domain/errors.ts';
import { asXOnly } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { sameOutpoint } from '../../engine/domain/outpoint.ts';
import type { Unix } from '../../engine/domain/time.ts';
import { unix } from '../../engine/domain/time.ts';
import type { KeyRef } from '../../engine/legs/signer.ts';
import { vhtlcDelays } from '../../engine/legs/timelocks.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import type { BatchOffer } from '../../engine/legs/arkade/batch.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { DelegateSettle } from '../../engine/legs/arkade/refund-request.ts';
import type { PreparedArkTx } from '../../engine/legs/arkade/transaction.ts';
import type { Vtxo, WalletVtxo } from '../../engine/legs/arkade/vtxo.ts';
import { hash160, vhtlcScript, type VhtlcLeaf } from '../../engine/legs/arkade/script.ts';
import { preimageIn, readSpend } from '../../engine/legs/arkade/spend.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { packPrepared, unpackPrepared } from '../../engine/adapters/arkade/prepared.ts';
import { seconds } from '../../engine/domain/time.ts';

/** Everybody who is not the node under test, and the clocks. */
export interface ArkadeControls {
  wall(): Unix;
  mtp(): Unix;
  faucet(address: string, amount: Sats): Promise<Outpoint>;
  /** Moves every clock; left out where time is real. */
  advance?(seconds: number): Promise<void>;
  /** Resolves once median time past has reached the moment. */
  reach(mtp: Unix): Promise<void>;
  /** Seconds until the locktime of a VHTLC; an hour when left out. */
  readonly locktime?: number;
  /** Resolves once the coin is recoverable; left out where that cannot be brought about. */
  expire?(coin: Outpoint): Promise<void>;
  /** Takes the coin to the chain; left out where that cannot be done. */
  unroll?(coin: Outpoint): Promise<void>;
  /** Coins do not outlive the locktimes of swaps here. */
  readonly shortLived?: true;
  /** The next submission is accepted and its answer lost. */
  loseNextSubmit?(): Promise<void>;
  /** Makes the operator unreachable and reachable again, forgetting its subscriptions. */
  away?(): Promise<void>;
  back?(): Promise<void>;
  /** Milliseconds for which a registration that nobody confirms holds a coin at least. */
  readonly heldFor?: number;
  /** Event streams are refused, as arkd does that demands a digest. */
  refuseStreams?(refuse: boolean): Promise<void>;
  /** The next round runs out of time before its signatures are in. */
  endNextRound?(): Promise<void>;
  /** How many intents wait at the operator. */
  intents?(): Promise<number>;
  /** Changes any setting, so that every digest is out of date. */
  changeSettings?(): Promise<void>;
}

export interface ArkadeSetup {
  readonly controls: ArkadeControls;
  /** A port of its own connection, with these keys. */
  connect(keys: (ref: KeyRef) => Uint8Array): ArkadePort;
  /** The operator without the adapter, for those who do not play by the rules. */
  readonly ark: ArkProvider;
  stop(): Promise<void>;
}

function keysOf(seed: Uint8Array): (ref: KeyRef) => Uint8Array {
  return (ref) => createHash('sha256').update(seed).update(JSON.stringify(ref)).digest();
}

const swapKey: KeyRef = { branch: 'swap', index: 3 };
const takerKey: KeyRef = { branch: 'taker', index: 5 };

interface Swap {
  readonly terms: VhtlcTerms;
  readonly script: Uint8Array;
  readonly preimage: Uint8Array;
}

export interface ArkadeSuiteOptions {
  /** Milliseconds for a test that waits for a round; 30 s when left out. */
  readonly limit?: number;
}

export function arkadePortSuite(
  name: string,
  open: () => Promise<ArkadeSetup>,
  { limit = 30_000 }: ArkadeSuiteOptions = {},
): void {
  describe(`the Arkade port: ${name}`, () => {
    let setup: ArkadeSetup;
    let service: ArkadePort;
    let client: ArkadePort;
    let serviceKeys: (ref: KeyRef) => Uint8Array;
    let clientKeys: (ref: KeyRef) => Uint8Array;
    const never = new AbortController().signal;

    beforeEach(async () => {
      setup = await open();
      serviceKeys = keysOf(randomBytes(32));
      clientKeys = keysOf(randomBytes(32));
      service = setup.connect(serviceKeys);
      client = setup.connect(clientKeys);
    });

    afterEach(() => setup.stop());

    async function fill(port: ArkadePort, ...amounts: number[]): Promise<void> {
      const { address } = await port.address();
      for (const amount of amounts) await setup.controls.faucet(address, sats(amount));
    }

    /** `paidBy` is the sender, and refunds. */
    async function swapOf(paidBy: 'client' | 'service', locktime = setup.controls.locktime ?? 3_600): Promise<Swap> {
      const info = await service.info();
      const preimage = new Uint8Array(randomBytes(32));
      const x = (secret: Uint8Array): ReturnType<typeof asXOnly> => asXOnly(schnorr.getPublicKey(secret));
      const [ours, theirs] = [x(serviceKeys(swapKey)), x(clientKeys(takerKey))];
      const terms: VhtlcTerms = {
        sender: paidBy === 'client' ? theirs : ours,
        receiver: paidBy === 'client' ? ours : theirs,
        operator: info.signer,
        hash: hash160(preimage),
        refundLocktime: unix(setup.controls.mtp() + locktime),
        ...vhtlcDelays({ exitDelay: info.exitDelay, leg: seconds(3600), policy: defaultPolicy }),
      };
      return { terms, script: vhtlcScript(terms).pkScript, preimage };
    }

    async function send(port: ArkadePort, prepared: PreparedArkTx): Promise<Uint8Array> {
      const answer = await port.submit(prepared.bytes);
      if (answer.is !== 'accepted') throw new Error(`submit answered ${JSON.stringify(answer)}`);
      await port.finalize(answer.bytes);
      return answer.bytes;
    }

    /** What the coins that fund a swap must outlive. */
    function lasting(swap: Swap): Unix {
      return setup.controls.shortLived ? unix(0) : swap.terms.refundLocktime;
    }

    async function fund(port: ArkadePort, swap: Swap, amount = 50_000): Promise<Vtxo> {
      const prepared = await port.prepareFund({
        script: swap.script,
        amount: sats(amount),
        minExpiry: lasting(swap),
        reserved: [],
      });
      await send(port, prepared);
      const coin = (await port.coins([swap.script])).find(({ outpoint }) => sameOutpoint(outpoint, prepared.output));
      if (!coin) throw new Error('the funded coin does not show');
      return coin;
    }

    async function coinNow(coin: Vtxo): Promise<Vtxo> {
      const listed = (await service.coins([coin.script])).find(({ outpoint }) => sameOutpoint(outpoint, coin.outpoint));
      if (!listed) throw new Error('the coin is gone from the index');
      return listed;
    }

    async function spendOf(swap: Swap, coin: Vtxo): Promise<ReturnType<typeof readSpend>> {
      const now = await coinNow(coin);
      const txid = now.spentIn ?? now.spentBy;
      const bytes = txid === null ? undefined : (await service.virtualTxs([txid])).get(txid);
      return bytes ? readSpend(swap.terms, bytes, { ...coin.outpoint, amount: coin.amount }) : null;
    }

    function readyOrSkip(...needed: (keyof ArkadeControls)[]): boolean {
      return needed.every((control) => setup.controls[control] !== undefined);
    }

    test('tells the operator, an address of the wallet and what the wallet holds', async () => {
      const [info, { address, script }] = [await service.info(), await service.address()];
      await fill(service, 70_000, 30_000);
      const coins = await service.walletCoins();
      expect({
        network: info.network,
        signer: info.signer.length,
        dust: info.dust,
        prefix: address.slice(0, 5),
        script: script.length,
        coins: coins.map(({ amount }) => amount).sort(),
        balance: await service.balance([]),
        reserved: await service.balance([(coins.find(({ amount }) => amount === 30_000n) as Vtxo).outpoint]),
      }).toEqual({
        network: 'regtest',
        signer: 32,
        dust: 330n,
        prefix: 'tark1',
        script: 34,
        coins: [30_000n, 70_000n],
        balance: { available: 100_000n, recoverable: 0n, pending: 0n, coins: living(coins, 30_000n, 70_000n) },
        reserved: { available: 70_000n, recoverable: 0n, pending: 30_000n, coins: living(coins, 70_000n) },
      });
    });

    /** What can be spent of the coins now, as a balance lists it. */
    function living(coins: readonly WalletVtxo[], ...amounts: readonly bigint[]): unknown {
      const listed = coins
        .filter(({ amount }) => amounts.includes(amount))
        .map(({ amount, expiresAt }) => ({ amount, expiresAt }));
      expect(listed).toHaveLength(amounts.length);
      return expect.arrayContaining(listed);
    }

    test('a balance counts as available exactly what a payment of now can take', async ({ skip }) => {
      if (!readyOrSkip('expire')) skip('coins cannot be made to expire here');
      await fill(service, 70_000, 30_000);
      const swap = await swapOf('service');
      const pay = (amount: number, reserved: readonly Outpoint[] = []) =>
        service.prepareFund({ script: swap.script, amount: sats(amount), minExpiry: unix(0), reserved }).then(
          () => 'prepared',
          (error: unknown) => (error instanceof PortFailure ? error.code : error),
        );
      const small = (await service.walletCoins()).find(({ amount }) => amount === 30_000n) as WalletVtxo;
      expect((await service.balance([small.outpoint])).coins.map(({ amount }) => amount)).toEqual([70_000n]);
      expect([await pay(70_000, [small.outpoint]), await pay(70_001, [small.outpoint])]).toEqual([
        'prepared',
        'no-coins',
      ]);
      await setup.controls.expire?.(small.outpoint);
      const { available, recoverable, coins } = await service.balance([]);
      const late = (await service.walletCoins()).filter((coin) => coin.recoverable);
      expect([available + recoverable, coins.reduce((sum, { amount }) => sum + amount, 0n)]).toEqual([
        100_000n,
        available,
      ]);
      expect(late.map(({ outpoint }) => outpoint)).toContainEqual(small.outpoint);
      expect(recoverable).toBe(late.reduce((sum, { amount }) => sum + amount, 0n));
      expect(await pay(Number(available) + 1)).toBe('no-coins');
    });

    test('funds a VHTLC, gives the change back, and preparing again gives the same id', async () => {
      await fill(service, 200_000);
      const swap = await swapOf('service');
      const pay = { script: swap.script, amount: sats(50_000), minExpiry: lasting(swap), reserved: [] };
      const [prepared, again] = [await service.prepareFund(pay), await service.prepareFund(pay)];
      expect([again.txid, await service.state(prepared.bytes)]).toEqual([prepared.txid, 'unseen']);
      const accepted = await send(service, prepared);
      expect({
        state: [await service.state(prepared.bytes), await service.state(accepted)],
        coins: (await service.coins([swap.script])).map(({ outpoint, amount, spent, recoverable }) => ({
          outpoint,
          amount,
          spent,
          recoverable,
        })),
        balance: (await service.balance([])).available,
      }).toEqual({
        state: ['final', 'final'],
        coins: [
          {
            outpoint: { txid: prepared.output.txid, vout: prepared.output.vout },
            amount: 50_000n,
            spent: false,
            recoverable: false,
          },
        ],
        balance: 150_000n,
      });
    });

    test('chooses no reserved coin, no coin that expires too soon, and says what is missing', async ({ skip }) => {
      if (setup.controls.shortLived) skip('coins do not live that long here');
      await fill(service, 60_000, 40_000);
      const swap = await swapOf('service');
      const [small, large] = (await service.walletCoins()).sort((a, b) => Number(a.amount - b.amount)) as [
        WalletVtxo,
        WalletVtxo,
      ];
      const pay = { script: swap.script, amount: sats(39_000), minExpiry: lasting(swap), reserved: [small.outpoint] };
      expect((await service.prepareFund(pay)).inputs).toEqual([large.outpoint]);
      const failures = await Promise.all(
        [
          { ...pay, minExpiry: large.expiresAt },
          { ...pay, amount: sats(90_000) },
          { ...pay, amount: sats(100) },
        ].map((each) =>
          service.prepareFund(each).then(
            () => 'prepared',
            (error: unknown) => (error instanceof PortFailure ? error.code : error),
          ),
        ),
      );
      expect(failures).toEqual(['no-coins', 'no-coins', 'too-small']);
    });

    test('claims with the preimage, which anybody can then read from the spend', async () => {
      await fill(client, 100_000);
      const swap = await swapOf('client');
      const coin = await fund(client, swap);
      const prepared = await service.prepareClaim({
        terms: swap.terms,
        key: swapKey,
        coins: [coin],
        preimage: swap.preimage,
      });
      await send(service, prepared);
      expect({
        spend: await spendOf(swap, coin),
        spent: (await coinNow(coin)).spentIn,
        balance: (await service.balance([])).available,
        again: await service.submit(prepared.bytes),
      }).toEqual({
        spend: { leaf: 'claim', preimage: swap.preimage },
        spent: prepared.txid,
        balance: 50_000n,
        // Its checkpoint is shown with every signature, by whoever is asked what became of it.
        again: { is: 'final' },
      });
    });

    test('shows the preimage of a claim that was submitted and never finalized', async () => {
      await fill(service, 100_000);
      const swap = await swapOf('service');
      const coin = await fund(service, swap);
      const { script } = await client.address();
      const prepared = await client.prepareClaim({
        terms: swap.terms,
        key: takerKey,
        coins: [coin],
        preimage: swap.preimage,
        to: script,
      });
      await client.submit(prepared.bytes);
      expect([await spendOf(swap, coin), await client.state(prepared.bytes)]).toEqual([
        { leaf: 'claim', preimage: swap.preimage },
        'accepted',
      ]);
    });

    test('claims two coins of one VHTLC at once', async () => {
      await fill(client, 100_000, 90_000);
      const swap = await swapOf('client');
      const coins = [await fund(client, swap), await fund(client, swap, 40_000)];
      await send(
        service,
        await service.prepareClaim({ terms: swap.terms, key: swapKey, coins, preimage: swap.preimage }),
      );
      expect([
        await spendOf(swap, coins[0] as Vtxo),
        await spendOf(swap, coins[1] as Vtxo),
        (await service.balance([])).available,
      ]).toEqual([{ leaf: 'claim', preimage: swap.preimage }, { leaf: 'claim', preimage: swap.preimage }, 90_000n]);
    });

    test('does not prepare a claim with a wrong preimage or a wrong key', async () => {
      await fill(client, 100_000);
      const swap = await swapOf('client');
      const coin = await fund(client, swap);
      const claim = { terms: swap.terms, key: swapKey, coins: [coin], preimage: swap.preimage };
      await expect(service.prepareClaim({ ...claim, preimage: new Uint8Array(32) })).rejects.toMatchObject({
        code: 'bad-preimage',
        retry: 'never',
      });
      await expect(service.prepareClaim({ ...claim, preimage: swap.preimage.subarray(1) })).rejects.toMatchObject({
        code: 'bad-preimage',
      });
      await expect(service.prepareClaim({ ...claim, key: { branch: 'swap', index: 4 } })).rejects.toMatchObject({
        code: 'bad-key',
      });
    });

    test('refunds after the locktime, and before it only says when to come back', async ({ skip }) => {
      if (setup.controls.shortLived) skip('coins do not live that long here');
      await fill(service, 100_000);
      const swap = await swapOf('service');
      const coin = await fund(service, swap);
      const prepared = await service.prepareRefund({ terms: swap.terms, key: swapKey, coins: [coin] });
      const early = await service.submit(prepared.bytes);
      expect(early).toMatchObject({ is: 'later' });
      await setup.controls.reach(swap.terms.refundLocktime);
      // An operator hears of a block when it asks for it.
      await vi.waitFor(() => send(service, prepared), { timeout: 60_000, interval: 250 });
      expect([await spendOf(swap, coin), (await service.balance([])).available]).toEqual([
        { leaf: 'refund-without-receiver' },
        100_000n,
      ]);
    });

    test('refunds together with the other side before the locktime', async () => {
      await fill(client, 100_000);
      const swap = await swapOf('client');
      const coin = await fund(client, swap);
      const { script } = await client.address();
      const half = await client.buildCollabRefund({ terms: swap.terms, key: takerKey, coins: [coin], to: script });
      expect(await service.judgeCollabRefund(swap.terms, half)).toBeNull();
      const prepared = await client.mergeCollabRefund(half, await service.cosign(swap.terms, swapKey, half), takerKey);
      await send(client, prepared);
      expect([await spendOf(swap, coin), (await client.balance([])).available]).toEqual([{ leaf: 'refund' }, 100_000n]);
      await expect(service.cosign(swap.terms, swapKey, half)).rejects.toMatchObject({ code: 'cosign-refused' });
    });

    test('submits twice and finalizes twice without moving anything twice', async () => {
      await fill(service, 100_000);
      const swap = await swapOf('service');
      const prepared = await service.prepareFund({
        script: swap.script,
        amount: sats(50_000),
        minExpiry: lasting(swap),
        reserved: [],
      });
      const [first, second] = [await service.submit(prepared.bytes), await service.submit(prepared.bytes)];
      if (first.is !== 'accepted' || second.is !== 'accepted')
        throw new Error(`submit answered ${first.is}, then ${second.is}`);
      await service.finalize(first.bytes);
      await service.finalize(second.bytes);
      expect([
        await service.submit(prepared.bytes),
        (await service.coins([swap.script])).map(({ amount }) => amount),
      ]).toEqual([{ is: 'final' }, [50_000n]]);
    });

    test('finalizes after a crash that lost the answer to submit', async ({ skip }) => {
      if (!readyOrSkip('loseNextSubmit')) skip('answers cannot be lost here');
      await fill(service, 100_000);
      const swap = await swapOf('service');
      const prepared = await service.prepareFund({
        script: swap.script,
        amount: sats(50_000),
        minExpiry: lasting(swap),
        reserved: [],
      });
      await setup.controls.loseNextSubmit?.();
      await expect(service.submit(prepared.bytes)).rejects.toMatchObject({ retry: 'ask-first' });
      const reborn = setup.connect(serviceKeys);
      expect(await reborn.state(prepared.bytes)).toBe('accepted');
      await send(reborn, prepared);
      expect((await reborn.coins([swap.script])).map(({ amount }) => amount)).toEqual([50_000n]);
    });

    test('calls an input that another transaction took spent', async () => {
      await fill(service, 100_000);
      const [one, other] = [await swapOf('service'), await swapOf('service')];
      const pay = { amount: sats(50_000), minExpiry: lasting(one), reserved: [] };
      const [first, second] = [
        await service.prepareFund({ ...pay, script: one.script }),
        await service.prepareFund({ ...pay, script: other.script }),
      ];
      await send(service, first);
      expect([await service.submit(second.bytes), await service.state(second.bytes)]).toEqual([
        { is: 'spent' },
        'unseen',
      ]);
    });

    test('sends no checkpoint that lacks a signature or the preimage', async () => {
      await fill(client, 100_000);
      const swap = await swapOf('client');
      const coin = await fund(client, swap);
      const prepared = await service.prepareClaim({
        terms: swap.terms,
        key: swapKey,
        coins: [coin],
        preimage: swap.preimage,
      });
      const answer = await service.submit(prepared.bytes);
      if (answer.is !== 'accepted') throw new Error(answer.is);
      const unpacked = unpackPrepared(answer.bytes);
      const spoiled = [unpacked.signed, unpacked.bare, []].map((accepted) => packPrepared({ ...unpacked, accepted }));
      for (const bytes of spoiled)
        await expect(service.finalize(bytes)).rejects.toMatchObject({ code: 'checkpoint-unsigned', retry: 'never' });
      await expect(service.finalize(prepared.bytes)).rejects.toMatchObject({ code: 'not-accepted' });
      await service.finalize(answer.bytes);
      expect(await service.state(answer.bytes)).toBe('final');
    });

    /** The client registers a coin for a batch by one of its leaves, around the adapter. */
    async function register(swap: Swap, coin: Vtxo, name: VhtlcLeaf): Promise<void> {
      const message: Intent.RegisterMessage = {
        type: 'register',
        onchain_output_indexes: [],
        valid_at: setup.controls.wall(),
        expire_at: setup.controls.wall() + 120,
        cosigners_public_keys: [hex.encode(await SingleKey.fromPrivateKey(clientKeys(takerKey)).compressedPublicKey())],
      };
      await setup.ark.registerIntent({ proof: await proofOf(swap, coin, name, message), message });
    }

    /** Withdraws it, once no round holds it: an intent that nobody confirms would hold up every round to come. */
    async function unregister(swap: Swap, coin: Vtxo, name: VhtlcLeaf): Promise<void> {
      const message: Intent.DeleteMessage = { type: 'delete', expire_at: setup.controls.wall() + 120 };
      const proof = await proofOf(swap, coin, name, message);
      await vi.waitFor(() => setup.ark.deleteIntent({ proof, message }), { timeout: 60_000, interval: 50 });
    }

    async function proofOf<M extends Intent.Message>(
      swap: Swap,
      coin: Vtxo,
      name: VhtlcLeaf,
      message: M,
    ): Promise<string> {
      const script = vhtlcScript(swap.terms);
      const signer = SingleKey.fromPrivateKey(clientKeys(takerKey));
      const claim = name === 'claim' ? [ConditionWitness.encode([swap.preimage])] : [];
      const proof = Intent.create(
        message,
        [
          {
            txid: hex.decode(coin.outpoint.txid),
            index: coin.outpoint.vout,
            sequence: name === 'claim' ? 0xffff_ffff : 0xffff_fffe,
            witnessUtxo: { script: coin.script, amount: coin.amount },
            tapLeafScript: [script.leaf[name].tapLeaf],
            unknown: [VtxoTaprootTree.encode(script.tapTree), ...claim],
          },
        ],
        message.type === 'register' ? [{ script: (await client.address()).script, amount: coin.amount }] : [],
      );
      return base64.encode((await signer.sign(proof)).toPSBT());
    }

    test(
      'withdraws the registration by which the sender holds up a claim',
      async () => {
        await fill(client, 100_000);
        const swap = await swapOf('client');
        const coin = await fund(client, swap);
        const prepared = await service.prepareClaim({
          terms: swap.terms,
          key: swapKey,
          coins: [coin],
          preimage: swap.preimage,
        });
        const registered = performance.now();
        await register(swap, coin, 'refund-without-receiver');
        const { arkTx, bare } = unpackPrepared(prepared.bytes);
        await expect(
          setup.ark.submitTx(
            base64.encode(arkTx),
            bare.map((tx) => base64.encode(tx)),
          ),
        ).rejects.toMatchObject({ code: 4 });
        const accepted = await vi.waitUntil(
          async () => {
            const answer = await service.submit(prepared.bytes);
            return answer.is === 'accepted' && answer;
          },
          { timeout: 60_000, interval: 200 },
        );
        if (setup.controls.heldFor !== undefined)
          expect(performance.now() - registered).toBeLessThan(setup.controls.heldFor);
        await service.finalize(accepted.bytes);
        expect(await service.state(accepted.bytes)).toBe('final');
      },
      limit,
    );

    test(
      'shows a claim that waits for a batch to the sender, whose refund does not push it aside',
      async () => {
        await fill(service, 100_000);
        const swap = await swapOf('service');
        const coin = await fund(service, swap);
        const look = { terms: swap.terms, key: swapKey, coins: [coin], where: 'queue' as const };
        const refund = await service.prepareRefund({ terms: swap.terms, key: swapKey, coins: [coin] });
        await setup.controls.reach(swap.terms.refundLocktime);
        const before = await service.waiting(look);
        await register(swap, coin, 'claim');
        // A round that took it hides it, and gives it back when it fails.
        const shown = (): Promise<Uint8Array> =>
          vi.waitUntil(async () => (await service.waiting(look))[0], { timeout: 60_000, interval: 50 });
        const first = await shown();
        const submitted = await service.submit(refund.bytes);
        expect({
          before,
          submitted,
          preimages: [first, await shown()].map((proof) => preimageIn(swap.terms.hash, proof)),
        }).toEqual({
          before: [],
          submitted: { is: 'claimed', coin: coin.outpoint, preimage: swap.preimage },
          preimages: [swap.preimage, swap.preimage],
        });
        await expect(client.waiting({ ...look, key: takerKey })).rejects.toMatchObject({ code: 'bad-key' });
        await unregister(swap, coin, 'claim');
        expect(await setup.controls.intents?.()).toBe(setup.controls.intents === undefined ? undefined : 0);
      },
      limit,
    );

    test('shows a claim that is accepted and not final to the sender', async () => {
      await fill(service, 100_000);
      const swap = await swapOf('service');
      const coin = await fund(service, swap);
      const look = { terms: swap.terms, key: swapKey, coins: [coin], where: 'pending' as const };
      const before = await service.waiting(look);
      const prepared = await client.prepareClaim({
        terms: swap.terms,
        key: takerKey,
        coins: [coin],
        preimage: swap.preimage,
      });
      await client.submit(prepared.bytes);
      const [pending, ...more] = await service.waiting(look);
      expect({ before, preimage: pending && preimageIn(swap.terms.hash, pending), more }).toEqual({
        before: [],
        preimage: swap.preimage,
        more: [],
      });
    });

    test('calls a coin that was taken to the chain unrolled, before it is submitted and before it is final', async ({
      skip,
    }) => {
      if (!readyOrSkip('unroll')) skip('coins cannot be taken to the chain here');
      await fill(client, 100_000, 100_000);
      const [one, other] = [await swapOf('client'), await swapOf('client')];
      const coins = [await fund(client, one), await fund(client, other)] as const;
      const claims = [
        await service.prepareClaim({ terms: one.terms, key: swapKey, coins: [coins[0]], preimage: one.preimage }),
        await service.prepareClaim({ terms: other.terms, key: swapKey, coins: [coins[1]], preimage: other.preimage }),
      ] as const;
      const accepted = await service.submit(claims[1].bytes);
      if (accepted.is !== 'accepted') throw new Error(accepted.is);
      for (const coin of coins) await setup.controls.unroll?.(coin.outpoint);
      expect([(await coinNow(coins[0])).unrolled, await service.submit(claims[0].bytes)]).toEqual([
        true,
        { is: 'unrolled' },
      ]);
      await expect(service.finalize(accepted.bytes)).rejects.toMatchObject({ code: 'unrolled', retry: 'never' });
    });

    test(
      'claims an expired coin through a batch, as no transaction can',
      async ({ skip }) => {
        if (!readyOrSkip('expire')) skip('coins cannot be made to expire here');
        await fill(client, 100_000);
        const swap = await swapOf('client');
        const coin = await fund(client, swap);
        const prepared = await service.prepareClaim({
          terms: swap.terms,
          key: swapKey,
          coins: [coin],
          preimage: swap.preimage,
        });
        await setup.controls.expire?.(coin.outpoint);
        const expired = await coinNow(coin);
        expect([expired.recoverable, await service.submit(prepared.bytes)]).toEqual([true, { is: 'recoverable' }]);
        const { commitmentTxid } = await service.settle({
          terms: swap.terms,
          key: swapKey,
          coins: [expired],
          leaf: 'claim',
          preimage: swap.preimage,
          signal: never,
        });
        expect([(await coinNow(coin)).settledBy, (await service.balance([])).available]).toEqual([
          commitmentTxid,
          50_000n,
        ]);
      },
      limit,
    );

    test(
      'claims a live coin through a batch and leaves the preimage in its forfeit',
      async () => {
        await fill(client, 100_000);
        const swap = await swapOf('client');
        const coin = await fund(client, swap);
        const { commitmentTxid } = await service.settle({
          terms: swap.terms,
          key: swapKey,
          coins: [coin],
          leaf: 'claim',
          preimage: swap.preimage,
          signal: never,
        });
        expect([(await coinNow(coin)).settledBy, await spendOf(swap, coin)]).toEqual([
          commitmentTxid,
          { leaf: 'claim', preimage: swap.preimage },
        ]);
      },
      limit,
    );

    test(
      'refunds an expired coin through a batch, and not before the locktime although the operator would',
      async ({ skip }) => {
        if (!readyOrSkip('expire')) skip('coins cannot be made to expire here');
        await fill(service, 100_000);
        const swap = await swapOf('service');
        const coin = await fund(service, swap);
        await setup.controls.expire?.(coin.outpoint);
        const refund = {
          terms: swap.terms,
          key: swapKey,
          coins: [await coinNow(coin)],
          leaf: 'refund-without-receiver' as const,
          signal: never,
        };
        await expect(service.settle(refund)).rejects.toMatchObject({ code: 'locked', retry: 'safe' });
        await setup.controls.reach(swap.terms.refundLocktime);
        const { commitmentTxid } = await service.settle(refund);
        expect((await coinNow(coin)).settledBy).toBe(commitmentTxid);
      },
      limit,
    );

    test(
      'renews coins that expire soon into one fresh coin, and says when there are none',
      async ({ skip }) => {
        if (!readyOrSkip('advance')) skip('time is real here');
        await fill(service, 60_000);
        await setup.controls.advance?.(86_400);
        await fill(service, 40_000);
        const [old, fresh] = (await service.walletCoins()).sort((a, b) => a.expiresAt - b.expiresAt) as [
          WalletVtxo,
          WalletVtxo,
        ];
        const before = unix(old.expiresAt + 1);
        const everyone = ({ due }: BatchOffer) => due.map(({ coin }) => coin);
        expect(await service.renew({ before, reserved: [old.outpoint], choose: everyone, signal: never })).toBeNull();
        const done = await service.renew({ before, reserved: [], choose: everyone, signal: never });
        const now = await service.walletCoins();
        expect({
          done: done !== null,
          amounts: now.map(({ amount }) => amount).sort(),
          untouched: now.some(({ outpoint }) => sameOutpoint(outpoint, fresh.outpoint)),
          again: await service.renew({ before, reserved: [], choose: everyone, signal: never }),
        }).toEqual({
          done: true,
          amounts: [40_000n, 60_000n],
          untouched: true,
          again: null,
        });
      },
      limit,
    );

    test(
      "fault 56: renews change that hangs on nobody's batch early, whole and in as many coins, and leaves the " +
        'others alone',
      async ({ skip }) => {
        if (!readyOrSkip('advance')) skip('time is real here');
        await fill(service, 600_000);
        const swap = await swapOf('service');
        await fund(service, swap, 100_000);
        await fill(service, 40_000);
        const before = await service.walletCoins();
        const quiet = {
          before: unix(0),
          reserved: [],
          choose: ({ due }: BatchOffer) => due.map(({ coin }) => coin),
          signal: never,
        };
        const young = await service.renew({ ...quiet, preconfirmedBefore: unix(setup.controls.wall() - 1) });
        await setup.controls.advance?.(100);
        const unasked = await service.renew(quiet);
        const done = await service.renew({ ...quiet, preconfirmedBefore: unix(setup.controls.wall() - 50) });
        const now = await service.walletCoins();
        const amounts = (coins: readonly WalletVtxo[], which: boolean) =>
          coins
            .filter(({ preconfirmed = false }) => preconfirmed === which)
            .map(({ amount }) => amount)
            .sort();
        const [change, settled] = [amounts(before, true), amounts(now, false)];
        expect({
          young,
          unasked,
          done: done !== null,
          shared: amounts(now, true),
          count: settled.length,
          sum: settled.reduce<bigint>((sum, amount) => sum + amount, 0n),
          untouched: settled.includes(sats(40_000)),
        }).toEqual({
          young: null,
          unasked: null,
          done: true,
          shared: [],
          count: change.length + 1,
          sum: 540_000n,
          untouched: true,
        });
      },
      limit,
    );

    async function delegated(swap: Swap, coins: readonly Vtxo[], live: boolean): Promise<DelegateSettle> {
      const script = vhtlcScript(swap.terms);
      const total = coins.reduce((sum, { amount }) => sum + amount, 0n);
      const message: Intent.RegisterMessage = {
        type: 'register',
        onchain_output_indexes: [],
        valid_at: setup.controls.wall(),
        expire_at: setup.controls.wall() + 120,
        cosigners_public_keys: [hex.encode(service.delegateKey())],
      };
      const proof = Intent.create(
        message,
        coins.map((coin) => ({
          txid: hex.decode(coin.outpoint.txid),
          index: coin.outpoint.vout,
          sequence: 0xffff_ffff,
          witnessUtxo: { script: coin.script, amount: coin.amount },
          tapLeafScript: [script.leaf.refund.tapLeaf],
          unknown: [VtxoTaprootTree.encode(script.tapTree)],
        })),
        [{ script: (await client.address()).script, amount: total }],
      );
      const { forfeitAddress, dust } = await setup.ark.getInfo();
      const forfeits = live
        ? coins.map((coin) => {
            const tx = new Transaction({ version: 3 });
            tx.addInput({
              txid: coin.outpoint.txid,
              index: coin.outpoint.vout,
              witnessUtxo: { script: coin.script, amount: coin.amount },
              sighashType: SigHash.ALL_ANYONECANPAY,
              tapLeafScript: [script.leaf.refund.tapLeaf],
            });
            tx.addOutputAddress(forfeitAddress, coin.amount + dust, {
              bech32: 'bcrt',
              pubKeyHash: 0x6f,
              scriptHash: 0xc4,
              wif: 0xef,
            });
            tx.addOutput({ script: Uint8Array.of(0x51, 0x02, 0x4e, 0x73), amount: 0n });
            tx.signIdx(clientKeys(takerKey), 0, [SigHash.ALL_ANYONECANPAY]);
            return tx.toPSBT();
          })
        : [];
      const signed = await SingleKey.fromPrivateKey(clientKeys(takerKey)).sign(proof);
      const request = { intentProof: signed.toPSBT(), forfeits };
      expect(await service.judgeDelegateRefund(swap.terms, request)).toBeNull();
      return {
        ...(await service.cosignDelegate(swap.terms, swapKey, request)),
        message: Intent.encodeMessage(message),
      };
    }

    test(
      'settles a delegated refund of an expired coin, and asked again gives the same answer',
      async ({ skip }) => {
        if (!readyOrSkip('expire')) skip('coins cannot be made to expire here');
        await fill(client, 100_000);
        const swap = await swapOf('client');
        const coin = await fund(client, swap);
        await setup.controls.expire?.(coin.outpoint);
        const request = await delegated(swap, [await coinNow(coin)], false);
        const done = await service.delegateSettle(swap.terms, request, never);
        // The client's change may have expired meanwhile.
        const { available, recoverable } = await client.balance([]);
        expect([
          (await coinNow(coin)).settledBy,
          available + recoverable,
          done.before,
          await service.delegateSettle(swap.terms, request, never),
        ]).toEqual([done.commitmentTxid, 100_000n, false, { ...done, before: true }]);
      },
      limit,
    );

    test(
      'settles a delegated refund of a live coin with its presigned forfeit',
      async () => {
        await fill(client, 100_000);
        const swap = await swapOf('client');
        const coin = await fund(client, swap);
        const { commitmentTxid } = await service.delegateSettle(swap.terms, await delegated(swap, [coin], true), never);
        expect([(await coinNow(coin)).settledBy, (await client.balance([])).available]).toEqual([
          commitmentTxid,
          100_000n,
        ]);
      },
      limit,
    );

    test(
      'fault 41: registers nothing while the event stream is refused, in none of the four ways through a batch',
      async ({ skip }) => {
        if (!readyOrSkip('refuseStreams', 'intents', 'expire')) skip('streams cannot be refused here');
        await fill(client, 100_000, 100_000);
        await fill(service, 100_000, 60_000);
        const [claimed, delegatedOne, refunded] = [
          await swapOf('client'),
          await swapOf('client'),
          await swapOf('service'),
        ];
        const coins = [
          await fund(client, claimed),
          await fund(client, delegatedOne),
          await fund(service, refunded),
        ] as const;
        await setup.controls.reach(refunded.terms.refundLocktime);
        for (const coin of [coins[0], coins[2]]) await setup.controls.expire?.(coin.outpoint);
        const request = await delegated(delegatedOne, [coins[1]], true);
        const ways = [
          () =>
            service.renew({
              before: unix(setup.controls.wall() + 10 * 365 * 86_400),
              reserved: [],
              choose: ({ due }) => due.map(({ coin }) => coin),
              signal: never,
            }),
          async () =>
            service.settle({
              terms: claimed.terms,
              key: swapKey,
              coins: [await coinNow(coins[0])],
              leaf: 'claim',
              preimage: claimed.preimage,
              signal: never,
            }),
          async () =>
            service.settle({
              terms: refunded.terms,
              key: swapKey,
              coins: [await coinNow(coins[2])],
              leaf: 'refund-without-receiver',
              signal: never,
            }),
          () => service.delegateSettle(delegatedOne.terms, request, never),
        ];
        await setup.controls.refuseStreams?.(true);
        const failures = await Promise.all(
          ways.map((way) =>
            way().then(
              () => 'done',
              (error: unknown) => (error instanceof PortFailure ? [error.code, error.retry] : error),
            ),
          ),
        );
        expect({ failures, intents: await setup.controls.intents?.() }).toEqual({
          failures: ways.map(() => ['stream-refused', 'safe']),
          intents: 0,
        });
        await setup.controls.refuseStreams?.(false);
        for (const way of ways) expect(await way()).toHaveProperty('commitmentTxid');
      },
      limit,
    );

    test(
      'fault 41: goes into another round when one ran out of time',
      async ({ skip }) => {
        if (!readyOrSkip('endNextRound', 'intents')) skip('rounds cannot be made to fail here');
        await fill(client, 100_000);
        const swap = await swapOf('client');
        const coin = await fund(client, swap);
        const request = await delegated(swap, [coin], true);
        await setup.controls.endNextRound?.();
        const { commitmentTxid } = await service.delegateSettle(swap.terms, request, never);
        expect([(await coinNow(coin)).settledBy, await setup.controls.intents?.()]).toEqual([commitmentTxid, 0]);
      },
      limit,
    );

    test(
      'brings nothing of a client into a batch that lacks a signature, a preimage or a forfeit, and tells the ' +
        'operator nothing',
      async ({ skip }) => {
        if (!readyOrSkip('intents')) skip('what waits at the operator cannot be read here');
        await fill(client, 100_000);
        const [swap, other] = [await swapOf('client'), await swapOf('client')];
        const coin = await fund(client, swap);
        const good = await delegated(swap, [coin], true);
        /** The same PSBT with every signature of this key spoilt. */
        const bare = (bytes: Uint8Array, whose: Uint8Array): Uint8Array => {
          const tx = Transaction.fromPSBT(bytes);
          const spoilt = Buffer.from(bytes);
          for (let i = 0; i < tx.inputsLength; i++) {
            for (const [at, signature] of tx.getInput(i).tapScriptSig ?? []) {
              if (toHex(at.pubKey) === toHex(whose))
                spoilt.writeUInt8((signature[5] ?? 0) ^ 1, spoilt.indexOf(Buffer.from(signature)) + 5);
            }
          }
          return new Uint8Array(spoilt);
        };
        const [forfeit] = good.forfeits as [Uint8Array];
        const requests: [DelegateSettle, VhtlcTerms, RegExp][] = [
          [
            { ...good, intentProof: bare(good.intentProof, swap.terms.sender) },
            swap.terms,
            /^input 0 of the intent proof has no valid signature of the sender$/,
          ],
          [
            { ...good, intentProof: bare(good.intentProof, swap.terms.receiver) },
            swap.terms,
            /^input 0 of the intent proof has no valid signature of the receiver$/,
          ],
          [
            { ...good, forfeits: [bare(forfeit, swap.terms.sender)] },
            swap.terms,
            /^forfeit 0 has no valid signature of the sender$/,
          ],
          [
            { ...good, forfeits: [bare(forfeit, swap.terms.receiver)] },
            swap.terms,
            /^forfeit 0 has no valid signature of the receiver$/,
          ],
          [{ ...good, forfeits: [] }, swap.terms, /has no forfeit transaction$/],
          [{ ...good, intentProof: randomBytes(40) }, swap.terms, /is not a PSBT$/],
          [good, other.terms, /leaf of this swap, and no other leaf$/],
        ];
        for (const [request, terms, sentence] of requests) {
          expect(
            await service.judgeDelegateSettle(terms, request).catch((error: unknown) => (error as Error).message),
          ).toMatch(sentence);
          await expect(service.delegateSettle(terms, request, never)).rejects.toMatchObject({
            code: 'delegate-refused',
            retry: 'never',
          });
        }
        expect([await setup.controls.intents?.(), await service.judgeDelegateSettle(swap.terms, good)]).toEqual([
          0,
          null,
        ]);
      },
      limit,
    );

    test('refuses to settle what was signed for another message or names another cosigner', async () => {
      await fill(client, 100_000);
      const swap = await swapOf('client');
      const coin = await fund(client, swap);
      const request = await delegated(swap, [coin], true);
      const other = JSON.stringify({
        ...(JSON.parse(request.message) as object),
        cosigners_public_keys: [toHex(secp256k1.getPublicKey(randomBytes(32), true))],
      });
      await expect(service.delegateSettle(swap.terms, { ...request, message: other }, never)).rejects.toMatchObject({
        code: 'delegate-refused',
        retry: 'never',
      });
      await expect(service.delegateSettle(swap.terms, { ...request, forfeits: [] }, never)).rejects.toMatchObject({
        code: 'delegate-refused',
      });
    });

    test('notices that the settings of the operator changed, and goes on', async ({ skip }) => {
      if (!readyOrSkip('changeSettings')) skip('settings cannot be changed here');
      await fill(service, 100_000);
      const swap = await swapOf('service');
      const prepared = await service.prepareFund({
        script: swap.script,
        amount: sats(50_000),
        minExpiry: lasting(swap),
        reserved: [],
      });
      await setup.controls.changeSettings?.();
      await send(service, prepared);
      expect(await service.state(prepared.bytes)).toBe('final');
    });

    test(
      'tells of every script that something happened at it, also of scripts added later, and of none that was ' +
        'removed',
      async () => {
        await fill(client, 100_000, 100_000, 100_000);
        const [one, two, three] = [await swapOf('client'), await swapOf('client'), await swapOf('client')];
        const scripts: string[] = [];
        const watch = service.watch({
          onScript: (script) => void scripts.push(toHex(script)),
          onGap: () => void scripts.push('gap'),
        });
        try {
          watch.add([one.script, three.script]);
          await new Promise((resolve) => setTimeout(resolve, 300));
          await fund(client, one);
          watch.add([two.script]);
          watch.remove([three.script]);
          await new Promise((resolve) => setTimeout(resolve, 300));
          await fund(client, two);
          await fund(client, three);
          await vi.waitUntil(() => scripts.includes(toHex(one.script)) && scripts.includes(toHex(two.script)), {
            timeout: 60_000,
          });
          expect(scripts).not.toContain(toHex(three.script));
        } finally {
          await watch.stop();
        }
      },
    );

    test(
      'subscribes again after the operator was away, and reports the gap',
      async ({ skip }) => {
        if (!readyOrSkip('away', 'back')) skip('the operator cannot be sent away here');
        await fill(client, 100_000);
        const swap = await swapOf('client');
        const scripts: string[] = [];
        const watch = service.watch({
          onScript: (script) => void scripts.push(toHex(script)),
          onGap: () => void scripts.push('gap'),
        });
        try {
          watch.add([swap.script]);
          await new Promise((resolve) => setTimeout(resolve, 300));
          await setup.controls.away?.();
          await expect(service.submit((await prepareOffline()).bytes)).rejects.toBeInstanceOf(PortFailure);
          await setup.controls.back?.();
          await vi.waitUntil(() => scripts.includes('gap'), { timeout: 60_000 });
          await fund(client, swap);
          await vi.waitUntil(() => scripts.includes(toHex(swap.script)), { timeout: 60_000 });
        } finally {
          await watch.stop();
        }

        async function prepareOffline(): Promise<{ bytes: Uint8Array }> {
          await setup.controls.back?.();
          const prepared = await client.prepareFund({
            script: swap.script,
            amount: sats(1_000),
            minExpiry: lasting(swap),
            reserved: [],
          });
          await setup.controls.away?.();
          return prepared;
        }
      },
      limit,
    );
  });
}
