import type { Txid } from '../../domain/outpoint.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import { readSeenTx } from '../../legs/seen-tx.ts';
import { signedTxs } from './accepted.ts';
import { base64 } from './base64.ts';
import { coinsAtOutpoints, coinsAtScripts, txidsBelow, virtualTxTexts } from './coins.ts';
import { createCosigner } from './cosign.ts';
import { createDelegate } from './delegate.ts';
import { portFailure } from './failures.ts';
import { createFinalize } from './finalize.ts';
import { createFund } from './fund.ts';
import { createOperator, type ArkadeOptions } from './operator.ts';
import { proofInputs, proofLife } from './proofs.ts';
import { unpackPrepared } from './prepared.ts';
import { createRenew } from './renew.ts';
import { createSettle } from './settle.ts';
import { createSpends } from './spend.ts';
import { createSubmit } from './submit.ts';
import { stateOf } from './tx-state.ts';
import { partySecret, vhtlcInputs } from './vhtlc.ts';
import { waitingOver } from './waiting.ts';
import { createOwnWallet } from './wallet.ts';
import { createWatch } from './watch.ts';

/** The port to one Arkade operator, over providers that speak to it. */
export function createArkade(options: ArkadeOptions): ArkadePort {
  const { clock } = options;
  const operator = createOperator(options);
  const wallet = createOwnWallet(options, operator);
  const submit = createSubmit(options, operator);

  async function virtualTxs(txids: readonly Txid[]): Promise<Map<Txid, Uint8Array>> {
    const wanted = new Set(txids);
    const txs = new Map<Txid, Uint8Array>();
    if (wanted.size === 0) return txs;
    for (const text of await virtualTxTexts(operator, txids)) {
      const bytes = base64.decode(text);
      const id = readSeenTx(bytes)?.tx.txid;
      if (id !== undefined && wanted.has(id)) txs.set(id, bytes);
    }
    return txs;
  }

  return withFailures({
    info: async () => (await operator.settings(5_000)).info,
    ...wallet.reads,
    coins: (scripts) => coinsAtScripts(operator, scripts, clock.wall()),
    coinsAt: (points) => coinsAtOutpoints(operator, points, clock.wall()),

    virtualTxs,
    async exitTxs(coin, has) {
      const txids = await txidsBelow(operator, coin);
      return virtualTxs(txids.filter((txid) => !has(txid)));
    },

    prepareFund: createFund(options, wallet),
    ...createSpends(options, wallet),
    signedTxs: async (bytes) => signedTxs(unpackPrepared(bytes)),
    submit,
    finalize: createFinalize(options, operator, submit),
    state: (bytes) => stateOf(options, operator, bytes),

    async waiting({ terms, key, coins, where }) {
      const secret = partySecret(options, terms, key, 'sender');
      const proofs = proofInputs(vhtlcInputs(terms, 'refund-without-receiver', coins), coins, true);
      return waitingOver(operator, proofLife(clock), { proofs, secret, where });
    },

    settle: createSettle(options, operator, wallet),
    renew: createRenew(options, operator, wallet),
    ...createCosigner(options, operator),
    ...createDelegate(options, operator),
    watch: (handlers) => createWatch(options, operator, handlers),
  });
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
  'exitTxs',
  'signedTxs',
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
