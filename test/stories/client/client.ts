import { hex } from '@scure/base';
import { randomBytes } from 'node:crypto';
import { openArkade, type ArkadeClient, type Half } from './arkade.ts';
import { ask, text, whole, type Json } from './http.ts';
import { readInvoice } from './invoice.ts';
import { faultsOf } from './record.ts';
import { hashLockOf, termsOf, vhtlcOf, xOnly, type Vhtlc } from './vhtlc.ts';

/** A swap that the client opened and whose record it found right. */
export interface Swap {
  readonly id: string;
  readonly record: Json;
  readonly vhtlc: Vhtlc;
}

export interface Received extends Swap {
  readonly secret: Uint8Array;
  readonly bolt11: string;
}

export interface Sent extends Swap {
  readonly price: number;
}

/** A careful client of the REST API: it believes a record only after it has derived it again. */
export interface Client {
  readonly arkade: ArkadeClient;
  lightningToArkade(wish: {
    source?: number;
    target?: number;
    description?: string;
    userId?: string;
  }): Promise<Received>;
  arkadeToLightning(bolt11: string, userId?: string): Promise<Sent>;
  status(swap: Swap): Promise<string>;
  record(swap: Swap): Promise<Json>;
  claim(swap: Received): Promise<string>;
  /** The signatures of the service on a refund of these coins; throws what the service says. */
  cosigned(swap: Swap, coins?: Awaited<ReturnType<ArkadeClient['coins']>>): Promise<Half>;
  collabRefund(swap: Swap, coins?: Awaited<ReturnType<ArkadeClient['coins']>>): Promise<string>;
  delegateRefund(swap: Swap, now: number): Promise<string>;
}

export async function openClient(base: string, arkadeUrl: string): Promise<Client> {
  const arkade = await openArkade(arkadeUrl, randomBytes(32));
  const same = (a: string, b: string): boolean => hex.encode(xOnly(a)) === hex.encode(xOnly(b));

  function checked(
    direction: 'lightning_to_arkade' | 'arkade_to_lightning',
    record: Json,
    ours: 'sender_pk' | 'receiver_pk',
  ): Swap {
    const faults = faultsOf(direction, record);
    if (!same(text(record, ours), arkade.publicKey)) faults.push(`${ours} is not our key`);
    if (!same(text(record, 'arkade_server_pk'), arkade.operatorKey))
      faults.push('arkade_server_pk is not the operator that we know');
    const vhtlc = vhtlcOf(termsOf(record));
    if (vhtlc.address !== text(record, 'arkade_vhtlc_address')) faults.push(`the terms make ${vhtlc.address}`);
    if (record['status'] !== 'pending') faults.push(`it begins as ${String(record['status'])}`);
    if (faults.length > 0) throw new Error(`the record is wrong: ${faults.join('; ')}`);
    return { id: text(record, 'id'), record, vhtlc };
  }

  async function cosigned(swap: Swap, coins?: Awaited<ReturnType<ArkadeClient['coins']>>): Promise<Half> {
    const half = await arkade.halfRefund(swap.vhtlc, coins ?? (await arkade.unspent(swap.vhtlc)));
    return (await ask(base, 'POST', `/api/swap/arkade-evm/${swap.id}/collab-refund`, { ...half })) as unknown as Half;
  }

  return {
    arkade,
    async lightningToArkade({ source, target, description, userId = 'story' }) {
      const secret = randomBytes(32);
      const record = await ask(base, 'POST', '/swap/lightning/arkade', {
        arkade_htlc_script_version: 1,
        claim_pk: arkade.publicKey,
        hash_lock: hashLockOf(secret),
        target_arkade_address: arkade.address,
        user_id: userId,
        ...(source === undefined ? { target_amount_sats: target } : { source_amount_sats: source }),
        ...(description === undefined ? {} : { invoice_description: description }),
      });
      const swap = checked('lightning_to_arkade', record, 'receiver_pk');
      const bolt11 = text(record, 'bolt11_invoice');
      const invoice = readInvoice(bolt11);
      const [pays, gets] = [Number(text(record, 'source_amount')), Number(text(record, 'target_amount'))];
      const right =
        text(record, 'hash_lock') === hashLockOf(secret) &&
        `0x${invoice.hash}` === hashLockOf(secret) &&
        invoice.sats === pays &&
        pays === (source ?? gets + whole(record, 'fee_sats') + whole(record, 'network_fee_sats')) &&
        gets === (target ?? pays - whole(record, 'fee_sats') - whole(record, 'network_fee_sats')) &&
        text(record, 'target_arkade_address') === arkade.address &&
        (description === undefined || invoice.description === description);
      if (!right) throw new Error(`the record does not say what was asked for: ${JSON.stringify({ record, invoice })}`);
      return { ...swap, secret, bolt11 };
    },
    async arkadeToLightning(bolt11, userId = 'story') {
      const invoice = readInvoice(bolt11);
      const record = await ask(base, 'POST', '/swap/arkade/lightning', {
        arkade_htlc_script_version: 1,
        refund_pk: arkade.publicKey,
        user_id: userId,
        lightning_invoice: bolt11,
      });
      const swap = checked('arkade_to_lightning', record, 'sender_pk');
      const price = Number(text(record, 'source_amount'));
      const right =
        text(record, 'hash_lock') === `0x${invoice.hash}` &&
        text(record, 'client_lightning_invoice') === bolt11 &&
        Number(text(record, 'target_amount')) === invoice.sats &&
        price === invoice.sats + whole(record, 'fee_sats') + whole(record, 'network_fee_sats');
      if (!right) throw new Error(`the record does not say what was asked for: ${JSON.stringify({ record, invoice })}`);
      return { ...swap, price };
    },
    async status(swap) {
      return text(await ask(base, 'GET', `/swap/${swap.id}`), 'status');
    },
    record: (swap) => ask(base, 'GET', `/swap/${swap.id}`),
    async claim(swap) {
      const coins = await arkade.unspent(swap.vhtlc);
      const amounts = coins.map(({ value }) => value);
      if (amounts.length !== 1 || amounts[0] !== Number(text(swap.record, 'target_amount')))
        throw new Error(`the VHTLC holds ${amounts.join(' and ')} sats`);
      return arkade.claim(swap.vhtlc, swap.secret);
    },
    cosigned,
    async collabRefund(swap, coins) {
      return arkade.finishRefund(await cosigned(swap, coins));
    },
    async delegateRefund(swap, now) {
      const cosigner = text(await ask(base, 'GET', '/api/delegate/cosigner-pk'), 'cosigner_pk');
      const { intent_message, ...ours } = await arkade.delegate(
        swap.vhtlc,
        await arkade.unspent(swap.vhtlc),
        cosigner,
        now,
      );
      const both = await ask(base, 'POST', `/api/swap/arkade-evm/${swap.id}/collab-refund-delegate`, ours);
      return text(
        await ask(base, 'POST', '/api/delegate/settle', {
          ...both,
          intent_message,
          cosigner_pk: cosigner,
          swap_id: swap.id,
        }),
        'commitment_txid',
      );
    },
  };
}
