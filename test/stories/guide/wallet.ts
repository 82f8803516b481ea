import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { hex } from '@scure/base';
import { openArkade, type Half } from '../client/arkade.ts';
import { text, type Json } from '../client/http.ts';
import { readInvoice } from '../client/invoice.ts';
import { hashLockOf, termsOf, vhtlcOf, xOnly } from '../client/vhtlc.ts';

/** What a step of the guide may use and change. */
export interface Notes {
  readonly set: (name: string, value: string) => void;
  /** The record of the last create, and the last reply of all. */
  readonly record: Json;
  readonly reply: Json;
}

export type Act = (notes: Notes) => Promise<void> | void;

/** The half of each swap that is the wallet's own, by the words of the guide's comments. */
export async function openWallet(arkadeUrl: string): Promise<Readonly<Record<string, Act>>> {
  const arkade = await openArkade(arkadeUrl, randomBytes(32));
  const account = HDKey.fromMasterSeed(randomBytes(32)).derive("m/9419'/121923'/0'");
  const userIds = account.deriveChild(9419).deriveChild(121923);
  let secret = randomBytes(32);
  let swaps = 0;

  function nextUser({ set }: Notes): void {
    set('USER_ID', hex.encode(userIds.deriveChild(swaps++).publicKey as Uint8Array));
  }

  /** Throws where the record is not the swap that the wallet wants. */
  function verify(record: Json, ours: 'sender_pk' | 'receiver_pk', invoice: string): void {
    const { hash, sats } = readInvoice(text(record, invoice));
    const [source, target] = [text(record, 'source_amount'), text(record, 'target_amount')].map(Number) as [
      number,
      number,
    ];
    const right =
      vhtlcOf(termsOf(record)).address === text(record, 'arkade_vhtlc_address') &&
      hex.encode(xOnly(text(record, ours))) === hex.encode(xOnly(arkade.publicKey)) &&
      text(record, 'arkade_server_pk') === arkade.operatorKey &&
      text(record, 'hash_lock') === `0x${hash}` &&
      sats === (ours === 'receiver_pk' ? source : target) &&
      source - target === Number(record['fee_sats']) + Number(record['network_fee_sats']);
    if (!right) throw new Error(`the record is not what was asked for: ${JSON.stringify(record)}`);
  }

  return {
    'opens its account'({ set }) {
      set('MY_KEY', arkade.publicKey);
      set('MY_ADDRESS', arkade.address);
      set('XPUB', account.publicExtendedKey);
    },
    'takes a new secret and the next user id'(notes) {
      secret = randomBytes(32);
      notes.set('HASH', hashLockOf(secret));
      nextUser(notes);
    },
    'takes the next user id': nextUser,
    'verifies what it would pay'({ record }) {
      verify(record, 'receiver_pk', 'bolt11_invoice');
      if (text(record, 'hash_lock') !== hashLockOf(secret)) throw new Error('the hash is not of our secret');
    },
    'verifies what it would fund': ({ record }) => verify(record, 'sender_pk', 'client_lightning_invoice'),
    async 'claims the VHTLC'({ record }) {
      await arkade.claim(vhtlcOf(termsOf(record)), secret);
    },
    async 'signs its half of the refund'({ record, set }) {
      const vhtlc = vhtlcOf(termsOf(record));
      const half = await arkade.halfRefund(vhtlc, await arkade.unspent(vhtlc));
      set('ARK_TX', half.ark_tx);
      set('CHECKPOINT', half.checkpoint_txs[0] ?? '');
    },
    async 'finishes the refund'({ reply }) {
      await arkade.finishRefund(reply as unknown as Half);
    },
    async 'refunds alone'({ record }) {
      await arkade.refundAlone(vhtlcOf(termsOf(record)));
    },
  };
}
