import { buildForfeitTx, ConditionWitness, setArkPsbtField, type Transaction } from '@arkade-os/sdk';
import { base64 } from '@scure/base';
import { SigHash } from '@scure/btc-signer';
import { randomPrivateKeyBytes } from '@scure/btc-signer/utils.js';
import type { PublicKey } from '../../domain/hash.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import { less, minus, noSats, plus, sats } from '../../domain/money.ts';
import { outpointKey, sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { publicKeyOf, xOnlyKeyOf } from '../../legs/secp256k1.ts';
import { encodeArkadeAddress, arkadePrefix } from '../../legs/arkade/address.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { PreparedArkTx } from '../../legs/arkade/transaction.ts';
import type { OnChainCoin, Vtxo, WalletVtxo } from '../../legs/arkade/vtxo.ts';
import { readTx } from '../../legs/psbt.ts';
import { hash160, vhtlcScript } from '../../legs/arkade/script.ts';
import type { VhtlcLeaf } from '../../legs/arkade/script.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import type { KeyRef } from '../../legs/signer.ts';
import { runBatch } from './batch.ts';
import type { Connector } from './batch.ts';
import { prepare, signInputs } from './build.ts';
import type { SpendInput } from './build.ts';
import { coinsAtOutpoints, coinsAtScripts, paidByBatch, strandedAt, virtualTxTexts } from './coins.ts';
import { createCosigner } from './cosign.ts';
import { createDelegate } from './delegate.ts';
import { feeChanged, portFailure } from './failures.ts';
import { intentFees } from './fees.ts';
import { exitOf, ownScript, sweepOf } from './exit.ts';
import { createOperator } from './operator.ts';
import type { ArkadeOptions, OperatorSettings } from './operator.ts';
import type { ProofInput } from './proofs.ts';
import { deleteMessage, proofLife, registerMessage, signedProof } from './proofs.ts';
import { createSubmitter } from './submit.ts';
import { waitingOver } from './waiting.ts';
import {
  changeOutputs,
  chooseCoins,
  createWalletScripts,
  noCoins,
  scriptUnder,
  smallestPiece,
  spendable,
  sweepInput,
  walletInput,
  walletKey,
  wantedCoins,
} from './wallet.ts';
import type { WalletScript } from './wallet.ts';
import { createWatch } from './watch.ts';

/** Milliseconds for which a payment prepared elsewhere is presumed to want its coins. */
const chosenFor = 10_000;
/** Most coins in one batch of ours, as the SDK has it. */
const largestBatch = 50;

/** The coins of a batch show a moment after its commitment: asked this often, this many milliseconds apart. */
const paidTries = 10;
const paidPause = 100;

/** How often an intent is made anew when the operator changed its fee meanwhile. */
const feeTries = 2;

/** Coins on their way through a batch into one new coin. */
interface BatchSpend {
  readonly inputs: readonly SpendInput[];
  readonly coins: readonly Vtxo[];
  readonly to: Uint8Array;
  readonly fee: Sats;
  readonly secret: Uint8Array;
  readonly locked: boolean;
  /** New coins, one when left out. */
  readonly pieces?: number;
}

/** The port to one Arkade operator, over providers that speak to it. */
export function createArkade(options: ArkadeOptions): ArkadePort {
  const { keys, clock, network } = options;
  const operator = createOperator(options);
  const submitter = createSubmitter(options, operator);
  const cosigner = createCosigner(options, operator);
  const delegate = createDelegate(options, operator);
  const walletScripts = createWalletScripts(options);
  const chosen = new Map<string, number>();
  /** Coins on their way through a batch of ours: they come back as others, and no payment may choose them. */
  const inBatch = new Set<string>();

  function recentlyChosen(): Set<string> {
    const now = performance.now();
    for (const [key, at] of chosen) if (now - at > chosenFor) chosen.delete(key);
    return new Set(chosen.keys());
  }

  async function own(): Promise<{
    settings: OperatorSettings;
    wallet: WalletScript;
    wallets: readonly WalletScript[];
  }> {
    const settings = await operator.settings();
    const wallets = walletScripts(settings);
    return { settings, wallet: wallets[0], wallets };
  }

  async function ownCoins(
    read: (scripts: Uint8Array[]) => Promise<Vtxo[]> = (scripts) =>
      coinsAtScripts(operator, scripts, clock.wall(), 'unspent'),
  ): Promise<WalletVtxo[]> {
    const { wallet, wallets } = await own();
    const coins = await read(wallets.map(({ tap }) => tap.pkScript));
    return coins.flatMap((coin) => {
      const at = wallets.find(({ tap }) => sameBytes(tap.pkScript, coin.script));
      if (at === undefined) return [];
      const tooShort = at.under.exitDelay < wallet.under.exitDelay;
      // What leaves later than the operator asks for is as good as new.
      const old = tooShort || !sameBytes(at.under.signer, wallet.under.signer);
      return [{ ...coin, old, under: at.under, ...(tooShort ? { tooShort } : {}) }];
    });
  }

  /** What a transaction pays back to the wallet. */
  function ownOutputs(
    { txid }: { txid: string },
    wallet: WalletScript,
    outputs: readonly { script: Uint8Array; amount: bigint }[],
  ): OnChainCoin[] {
    return outputs.flatMap(({ script, amount }, vout) =>
      sameBytes(script, wallet.tap.pkScript)
        ? [{ outpoint: { txid, vout }, amount: sats(amount), ...wallet.under }]
        : [],
    );
  }

  function requireKey(key: KeyRef, expected: Uint8Array, whose: string): Uint8Array {
    const secret = keys(key);
    if (!sameBytes(xOnlyKeyOf(secret), expected))
      throw arkadeFailure('bad-key', 'never', `the key is not the ${whose}'s of this VHTLC`);
    return secret;
  }

  function proofInputs(inputs: readonly SpendInput[], coins: readonly Vtxo[], locked: boolean): ProofInput[] {
    return inputs.map((input, i) => ({
      outpoint: input.coin.outpoint,
      amount: input.coin.amount,
      script: (coins[i] as Vtxo).script,
      tapLeaf: input.leaf.tapLeaf,
      tapTree: input.tapTree,
      locked,
      ...(input.condition ? { condition: input.condition } : {}),
    }));
  }

  function vhtlcInputs(
    terms: VhtlcTerms,
    leaf: VhtlcLeaf,
    coins: readonly Vtxo[],
    preimage?: Uint8Array,
  ): SpendInput[] {
    const script = vhtlcScript(terms);
    if (coins.length === 0) throw arkadeFailure('no-coins', 'never', 'there is no coin of the VHTLC to spend');
    if (coins.some((coin) => !sameBytes(coin.script, script.pkScript)))
      throw arkadeFailure('bad-coin', 'never', 'a coin is not at the script of this VHTLC');
    return coins.map((coin) => ({
      coin,
      leaf: script.leaf[leaf],
      tapTree: script.tapTree,
      ...(preimage ? { condition: [preimage] } : {}),
    }));
  }

  function requirePreimage(terms: VhtlcTerms, preimage: Uint8Array | undefined): Uint8Array {
    if (preimage?.length !== 32 || !sameBytes(hash160(preimage), terms.hash))
      throw arkadeFailure('bad-preimage', 'never', 'the preimage does not open this VHTLC');
    return preimage;
  }

  function total(inputs: readonly { coin: { amount: bigint } }[]): bigint {
    return inputs.reduce((sum, { coin }) => sum + coin.amount, 0n);
  }

  function toWallet(wallet: WalletScript, spend: Parameters<typeof prepare>[0]): PreparedArkTx {
    const prepared = prepare(spend);
    return { ...prepared, own: ownOutputs(prepared, wallet, spend.outputs) };
  }

  /**
   * Takes coins through a batch. What the operator asks is read right before the intent, and once more when it changed
   * meanwhile: too small a fee is refused, too large a one is kept.
   */
  async function batch(
    signal: AbortSignal,
    spendAt: (settings: OperatorSettings) => BatchSpend | null,
  ): Promise<{ commitmentTxid: Txid; fee: Sats; paid: Sats } | null> {
    for (let tries = 1; ; tries++) {
      const settings = await operator.settings(0);
      const spend = spendAt(settings);
      if (spend === null) return null;
      try {
        return await runIntent(settings, spend, signal);
      } catch (error) {
        if (!feeChanged(error) || tries === feeTries) throw error;
      }
    }
  }

  async function runIntent(
    settings: OperatorSettings,
    spend: BatchSpend,
    signal: AbortSignal,
  ): Promise<{ commitmentTxid: Txid; fee: Sats; paid: Sats }> {
    const { coins, secret, fee } = spend;
    const proofs = proofInputs(spend.inputs, coins, spend.locked);
    const session = randomPrivateKeyBytes();
    const paid = minus(sats(total(spend.inputs)), fee);
    const outputs = shares(paid, spend.pieces ?? 1).map((amount) => ({ script: spend.to, amount }));
    const intent = signedProof(registerMessage(proofLife(clock), publicKeyOf(session)), proofs, outputs, secret);
    const commitmentTxid = await runBatch(options, operator, {
      intent,
      inputs: proofs.map(({ outpoint }) => outpoint),
      outputs,
      cosigner: session,
      forfeit: (outpoint, connector) =>
        ownForfeit(
          settings,
          proofs.find((proof) => sameOutpoint(proof.outpoint, outpoint)) as ProofInput,
          connector,
          secret,
        ),
      release: async () => {
        const { proof, message } = signedProof(deleteMessage(proofLife(clock)), proofs, [], secret);
        await operator.call('deleteIntent', 'write', (ark) => ark.deleteIntent({ proof, message }));
      },
      signal,
    });
    return { commitmentTxid, fee, paid };
  }

  /** The operator's fee for the coins of a VHTLC, if it is allowed. */
  function allowedFee(settings: OperatorSettings, coins: readonly Vtxo[], to: Uint8Array, mostFee: Sats): Sats {
    const fee = intentFees(settings, to).total(coins);
    const sum = coins.reduce((all, coin) => all + coin.amount, 0n);
    if (fee > mostFee || sum - fee < settings.dust)
      throw arkadeFailure(
        'too-dear',
        'safe',
        `the Arkade operator asks ${fee} sats for taking ${sum} sats through a batch, at most ${mostFee} may be paid`,
      );
    return fee;
  }

  /** Past its expiry the other party alone may take the coin of a VHTLC through a batch, and that one is not ours. */
  async function requirePaid(
    batchTxid: string,
    to: { script: Uint8Array; least: bigint; most: bigint },
  ): Promise<Sats> {
    for (let i = 0; i < paidTries; i++) {
      const paid = await paidByBatch(operator, batchTxid, to);
      if (paid !== null) return paid;
      await new Promise((resolve) => setTimeout(resolve, paidPause));
    }
    throw arkadeFailure(
      'batch-foreign',
      'ask-first',
      `the coin went into the batch ${batchTxid}, which shows no coin of ours: somebody else may have taken it`,
    );
  }

  function ownForfeit(
    settings: OperatorSettings,
    input: ProofInput,
    connector: Connector,
    secret: Uint8Array,
  ): Transaction {
    const tx = buildForfeitTx(
      [
        {
          txid: input.outpoint.txid,
          index: input.outpoint.vout,
          witnessUtxo: { script: input.script, amount: input.amount },
          sighashType: SigHash.DEFAULT,
          tapLeafScript: [input.tapLeaf],
        },
        { txid: connector.txid, index: 0, witnessUtxo: { script: connector.script, amount: connector.amount } },
      ],
      settings.forfeitScript,
    );
    if (input.condition) setArkPsbtField(tx, 0, ConditionWitness, [...input.condition]);
    signInputs(tx, secret, [0]);
    return tx;
  }

  const port: ArkadePort = {
    info: async () => (await operator.settings(5_000)).info,

    async address() {
      const { settings, wallet } = await own();
      const address = encodeArkadeAddress({
        prefix: arkadePrefix(network),
        operator: settings.signer,
        outputKey: wallet.tap.outputKey,
      });
      return { address, script: wallet.tap.pkScript };
    },

    walletScripts: async () => (await own()).wallets.map(({ tap }) => tap.pkScript),

    async balance(reserved) {
      const taken = new Set(reserved.map(outpointKey));
      const balance = { available: noSats, recoverable: noSats, pending: noSats };
      for (const coin of await ownCoins()) {
        const kind =
          coin.recoverable || coin.old
            ? 'recoverable'
            : taken.has(outpointKey(coin.outpoint))
              ? 'pending'
              : 'available';
        balance[kind] = plus(balance[kind], coin.amount);
      }
      return balance;
    },

    coins: (scripts) => coinsAtScripts(operator, scripts, clock.wall()),
    coinsAt: (points) => coinsAtOutpoints(operator, points, clock.wall()),
    walletCoins: () => ownCoins(),
    strandedCoins: () => ownCoins((scripts) => strandedAt(operator, scripts, clock.wall())),

    scriptUnder: async (under) => scriptUnder(options, under),

    async virtualTxs(txids) {
      const wanted = new Set(txids);
      const txs = new Map<string, Uint8Array>();
      if (wanted.size === 0) return txs;
      for (const text of await virtualTxTexts(operator, txids)) {
        const bytes = base64.decode(text);
        const id = readTx(bytes)?.id;
        if (id !== undefined && wanted.has(id)) txs.set(id, bytes);
      }
      return txs;
    },

    async prepareFund({ script, amount, minExpiry, reserved }) {
      const { settings, wallet, wallets } = await own();
      refuseAmount(settings, amount);
      const all = spendable(await ownCoins(), minExpiry, reserved);
      const free = all.filter(({ outpoint }) => !inBatch.has(outpointKey(outpoint)));
      const choice = chooseCoins(free, amount, settings.dust, recentlyChosen());
      if (!choice && free.length < all.length && chooseCoins(all, amount, settings.dust, new Set()) !== null)
        throw arkadeFailure(
          'coins-in-batch',
          'safe',
          'the coins of the Arkade wallet are on their way through a batch',
        );
      if (!choice)
        throw noCoins(
          amount,
          free.reduce((sum, coin) => sum + coin.amount, 0n),
        );
      for (const { outpoint } of choice.coins) chosen.set(outpointKey(outpoint), performance.now());
      const outputs = [
        { script, amount },
        ...changeOutputs(wallet.tap.pkScript, choice.change, amount, free.length, settings.info.maxAmount),
      ];
      const prepared = prepare({
        inputs: choice.coins.map((coin) => walletInput(wallets, coin)),
        outputs,
        unroll: settings.unroll,
        key: walletKey,
        secret: keys(walletKey),
      });
      return { ...prepared, own: ownOutputs(prepared, wallet, outputs) };
    },

    async prepareClaim({ terms, key, coins, preimage, to }) {
      const secret = requireKey(key, terms.receiver, 'receiver');
      const inputs = vhtlcInputs(terms, 'claim', coins, requirePreimage(terms, preimage));
      const { settings, wallet } = await own();
      return toWallet(wallet, {
        inputs,
        outputs: [{ script: to ?? wallet.tap.pkScript, amount: total(inputs) }],
        unroll: settings.unroll,
        key,
        secret,
      });
    },

    async prepareRefund({ terms, key, coins, to }) {
      const secret = requireKey(key, terms.sender, 'sender');
      const inputs = vhtlcInputs(terms, 'refund-without-receiver', coins);
      const { settings, wallet } = await own();
      return toWallet(wallet, {
        inputs,
        outputs: [{ script: to ?? wallet.tap.pkScript, amount: total(inputs) }],
        unroll: settings.unroll,
        key,
        secret,
      });
    },

    async prepareExit({ terms, key, coin, purpose, preimage, to, feeRate, mostFee }) {
      const claim = purpose === 'claim';
      const secret = requireKey(key, claim ? terms.receiver : terms.sender, claim ? 'receiver' : 'sender');
      return exitOf({
        terms,
        coin,
        to: to ?? ownScript(keys(walletKey)),
        feeRate,
        secret,
        ...(mostFee === undefined ? {} : { mostFee }),
        ...(claim ? { preimage: requirePreimage(terms, preimage) } : {}),
      });
    },

    async prepareSweep({ coins, to, feeRate }) {
      return sweepOf({
        inputs: coins.map((coin) => sweepInput(options, coin)),
        to: to ?? ownScript(keys(walletKey)),
        feeRate,
        secret: keys(walletKey),
      });
    },

    submit: (bytes) => submitter.submit(bytes),
    finalize: (bytes) => submitter.finalize(bytes),
    state: (bytes) => submitter.state(bytes),

    async waiting({ terms, key, coins, where }) {
      const secret = requireKey(key, terms.sender, 'sender');
      const proofs = proofInputs(vhtlcInputs(terms, 'refund-without-receiver', coins), coins, true);
      return waitingOver(operator, proofLife(clock), { proofs, secret, where });
    },

    async settle({ terms, key, coins, leaf, preimage, to, mostFee: allowed, signal }) {
      const claim = leaf === 'claim';
      const secret = requireKey(key, claim ? terms.receiver : terms.sender, claim ? 'receiver' : 'sender');
      const inputs = vhtlcInputs(terms, leaf, coins, claim ? requirePreimage(terms, preimage) : undefined);
      if (!claim) {
        const mtp = clock.mtp();
        // The operator would take it earlier from an expired coin; we gave our word on the locktime (facts/arkade.md 27).
        if (mtp === null || mtp < terms.refundLocktime)
          throw arkadeFailure(
            'locked',
            'safe',
            `the VHTLC is locked until ${terms.refundLocktime} by median time past, which is ${mtp ?? 'unread'}`,
          );
        if (coins.some((coin) => !coin.recoverable))
          throw arkadeFailure(
            'not-recoverable',
            'never',
            'a live coin is refunded by a transaction, not through a batch',
          );
      }
      const { wallet } = await own();
      const script = to ?? wallet.tap.pkScript;
      const [first] = coins;
      const sum = sats(total(inputs));
      const mostFee = allowed ?? sats(sum / 2n);
      const earlier =
        first?.settledBy && coins.every(({ settledBy }) => settledBy === first.settledBy) ? first.settledBy : null;
      if (earlier)
        return {
          commitmentTxid: earlier,
          fee: minus(sum, await requirePaid(earlier, { script, least: less(sum, mostFee), most: sum })),
        };
      const done = await batch(signal, (settings) => ({
        inputs,
        coins,
        to: script,
        fee: allowedFee(settings, coins, script, mostFee),
        secret,
        locked: !claim,
      }));
      if (done === null) throw new RangeError('an intent over the coins of a VHTLC is never left out');
      await requirePaid(done.commitmentTxid, { script, least: done.paid, most: done.paid });
      return { commitmentTxid: done.commitmentTxid, fee: done.fee };
    },

    async renew({ before, preconfirmedBefore, reserved, choose, signal }) {
      const { wallet, wallets } = await own();
      const to = wallet.tap.pkScript;
      const taken = new Set(reserved.map(outpointKey));
      const free = (await ownCoins()).filter(
        (coin) => !coin.spent && !coin.unrolled && !taken.has(outpointKey(coin.outpoint)),
      );
      const shared =
        preconfirmedBefore !== undefined &&
        free.some((coin) => coin.preconfirmed === true && coin.createdAt < preconfirmedBefore);
      const soon = new Set(
        free
          .filter((coin) => coin.recoverable || coin.old || coin.expiresAt < before)
          .map(({ outpoint }) => outpointKey(outpoint)),
      );
      const allDue = free
        .filter((coin) => soon.has(outpointKey(coin.outpoint)) || (shared && coin.preconfirmed === true))
        .sort((a, b) => a.expiresAt - b.expiresAt);
      // A delay shorter than its own the operator takes in no batch: such coins are tried alone, and hold up no other.
      const fitting = allDue.filter(({ tooShort }) => tooShort !== true);
      const due = fitting.length > 0 ? fitting : allDue;
      const piecesFor = (coins: readonly Vtxo[]): number =>
        coins.some(({ outpoint }) => soon.has(outpointKey(outpoint))) ? 1 : piecesOf(coins);
      let taking: string[] = [];
      const renewed = await batch(signal, (settings) => {
        for (const key of taking) inBatch.delete(key);
        if (due.reduce((sum, coin) => sum + coin.amount, 0n) < settings.dust) return null;
        const fees = intentFees(settings, to);
        const total = (coins: readonly Vtxo[]): Sats => fees.total(coins, piecesFor(coins));
        const coins = choose({
          due: due.map((coin) => ({ coin, fee: fees.input(coin) })),
          limit: largestBatch,
          fee: total,
        });
        const fee = total(coins);
        if (coins.length === 0 || coins.reduce((sum, coin) => sum + coin.amount, 0n) - fee < settings.dust) return null;
        taking = coins.map(({ outpoint }) => outpointKey(outpoint));
        for (const key of taking) inBatch.add(key);
        return {
          inputs: coins.map((coin) => walletInput(wallets, coin)),
          coins,
          to,
          fee,
          secret: keys(walletKey),
          locked: false,
          pieces: piecesFor(coins),
        };
      }).finally(() => {
        for (const key of taking) inBatch.delete(key);
      });
      return renewed === null ? null : { commitmentTxid: renewed.commitmentTxid, fee: renewed.fee };
    },

    judgeCollabRefund: (terms, refund) => cosigner.judge(terms, refund),
    judgeDelegateRefund: (terms, refund) => cosigner.judgeDelegate(terms, refund),
    cosign: (terms, key, refund) => cosigner.cosign(terms, requireKey(key, terms.receiver, 'receiver'), refund),
    cosignDelegate: (terms, key, refund) =>
      cosigner.cosignDelegate(terms, requireKey(key, terms.receiver, 'receiver'), refund),
    buildCollabRefund: ({ terms, key, coins, to }) =>
      cosigner.buildCollabRefund(vhtlcInputs(terms, 'refund', coins), requireKey(key, terms.sender, 'sender'), to),
    mergeCollabRefund: (ownHalf, answer, key) => cosigner.mergeCollabRefund(ownHalf, answer, key ?? null),
    delegateKey: (): PublicKey => delegate.key(),
    judgeDelegateSettle: (terms, request) => delegate.judge(terms, request),
    delegateSettle: (terms, request, signal) => delegate.settle(terms, request, signal),
    watch: (handlers) => createWatch(options, operator, handlers),
  };
  return withFailures(port);
}

/** Equal parts, the odd sats in the first. */
function shares(total: bigint, pieces: number): bigint[] {
  const share = total / BigInt(pieces);
  return Array.from({ length: pieces }, (_, i) => (i === 0 ? total - share * BigInt(pieces - 1) : share));
}

/** Payments side by side each need a coin: as many as went in, up to what a wallet wants, and none of them small. */
function piecesOf(coins: readonly Vtxo[]): number {
  const total = coins.reduce((sum, { amount }) => sum + amount, 0n);
  return Math.max(1, Math.min(coins.length, wantedCoins, Number(total / smallestPiece)));
}

function refuseAmount(settings: OperatorSettings, amount: Sats): void {
  const least = settings.info.minAmount ?? settings.dust;
  if (amount < least || amount < settings.dust)
    throw arkadeFailure(
      'too-small',
      'never',
      `the Arkade operator takes no output below ${least > settings.dust ? least : settings.dust} sats, not ${amount}`,
    );
  const most = settings.info.maxAmount;
  if (most !== null && amount > most)
    throw arkadeFailure('too-large', 'never', `the Arkade operator takes no output above ${most} sats, not ${amount}`);
}

/** Calls that only ask; repeating them is always safe. */
const reads: ReadonlySet<string> = new Set([
  'info',
  'address',
  'balance',
  'coins',
  'coinsAt',
  'walletCoins',
  'strandedCoins',
  'scriptUnder',
  'prepareSweep',
  'virtualTxs',
  'state',
  'prepareFund',
  'prepareClaim',
  'prepareRefund',
  'judgeCollabRefund',
  'judgeDelegateRefund',
  'judgeDelegateSettle',
  'cosign',
  'cosignDelegate',
  'buildCollabRefund',
  'mergeCollabRefund',
]);

/** Whatever escapes a method leaves it as a `PortFailure`. */
function withFailures(port: ArkadePort): ArkadePort {
  const wrapped = Object.entries(port).map(([name, method]: [string, (...args: never[]) => unknown]) => [
    name,
    name === 'watch' || name === 'delegateKey'
      ? method
      : async (...args: never[]) => {
          try {
            return await method(...args);
          } catch (error) {
            throw portFailure(name, reads.has(name) ? 'read' : 'write', error);
          }
        },
  ]);
  return Object.fromEntries(wrapped) as ArkadePort;
}
