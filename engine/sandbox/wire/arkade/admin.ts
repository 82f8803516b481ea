import { toHex } from '../../../domain/hex.ts';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { BatchRecord } from '../../world/arkade/batches.ts';
import { type Conviction, reasonOf } from '../../world/arkade/convictions.ts';
import { walletCoin } from '../../world/arkade/commitment.ts';
import { OperatorAway, OperatorError } from '../../world/arkade/errors.ts';
import type { Intent, IntentOutput } from '../../world/arkade/intent.ts';
import type { OperatorAdmin } from '../../world/arkade/admin.ts';
import type { Operator } from '../../world/arkade/operator.ts';
import { Body, readBody } from './request.ts';
import { type ArkadeServer, reply, serveOperator } from './server.ts';

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  answer(admin: OperatorAdmin, body: Body, parameter: string): unknown;
}

/** The operator's admin port, for its owner: no digest, no streams, and it answers before the operator is ready. */
export function serveArkadeAdmin(operator: Operator, options: { port: number }): Promise<ArkadeServer> {
  return serveOperator(options.port, async (request, response, url) => {
    if (operator.faults.isAway) throw new OperatorAway('the operator is away');
    const route = routes.find(({ method, path }) => method === request.method && path.test(url.pathname));
    if (route === undefined) throw new OperatorError(5, 'Not Found');
    const body = request.method === 'POST' ? await readBody(request) : new Body({});
    reply(response, 200, route.answer(operator.admin, body, route.path.exec(url.pathname)?.[1] ?? '') ?? {});
  });
}

const wordStrength = 256;

const routes: readonly Route[] = [
  { method: 'GET', path: at('wallet/status'), answer: ({ wallet }) => wallet.status() },
  { method: 'GET', path: at('wallet/seed'), answer: () => ({ seed: generateMnemonic(wordlist, wordStrength) }) },
  {
    method: 'POST',
    path: at('wallet/create'),
    answer: ({ wallet }, body) => wallet.create(body.text('seed'), body.text('password')),
  },
  { method: 'POST', path: at('wallet/unlock'), answer: ({ wallet }, body) => wallet.unlock(body.text('password')) },
  { method: 'GET', path: at('wallet/address'), answer: (admin) => ({ address: admin.walletAddress() }) },
  {
    method: 'GET',
    path: at('wallet/balance'),
    answer: () => ({ mainAccount: account(walletCoin), connectorsAccount: account(0n) }),
  },
  {
    method: 'POST',
    path: at('note'),
    answer: (admin, body) => ({ notes: admin.note(body.number('amount'), body.number('quantity', 1)) }),
  },
  { method: 'GET', path: at('settings'), answer: (admin) => ({ settings: admin.settings() }) },
  {
    method: 'POST',
    path: at('settings'),
    answer: (admin, body) => ({ changeLog: admin.change(body.fields('settings')) }),
  },
  { method: 'GET', path: at('intentFees'), answer: getFees },
  { method: 'POST', path: at('intentFees'), answer: setFees },
  {
    method: 'POST',
    path: at('intentFees/clear'),
    answer: (admin) =>
      admin.setIntentFee({ offchainInput: '', offchainOutput: '', onchainInput: '', onchainOutput: '' }),
  },
  { method: 'GET', path: at('intents'), answer: (admin) => ({ intents: admin.intents().map(intentJson) }) },
  { method: 'GET', path: at('sweeps'), answer: ({ sweeps }) => ({ sweeps: sweeps.scheduled().map(sweepJson) }) },
  { method: 'POST', path: at('sweep'), answer: sweep },
  {
    method: 'GET',
    path: at('convictionsByScript/([0-9a-f]+)'),
    answer: (admin, _, script) => ({ convictions: admin.convictions(script).map(convictionJson) }),
  },
  { method: 'POST', path: at('convictions/([^/]+)/pardon'), answer: (admin, _, id) => admin.pardon(id) },
];

function at(path: string): RegExp {
  return new RegExp(`^/v1/admin/${path}$`);
}

function getFees(admin: OperatorAdmin): unknown {
  const { offchainInput, offchainOutput, onchainInput, onchainOutput } = admin.intentFee();
  return {
    fees: {
      offchainInputFee: offchainInput,
      onchainInputFee: onchainInput,
      offchainOutputFee: offchainOutput,
      onchainOutputFee: onchainOutput,
    },
  };
}

function setFees(admin: OperatorAdmin, body: Body): void {
  const fees = body.fields('fees');
  const names = ['offchainInput', 'offchainOutput', 'onchainInput', 'onchainOutput'] as const;
  admin.setIntentFee(
    Object.fromEntries(
      names.flatMap((name) => (typeof fees[`${name}Fee`] === 'string' ? [[name, fees[`${name}Fee`]]] : [])),
    ),
  );
}

function sweep({ sweeps }: OperatorAdmin, body: Body): unknown {
  const [txid] = sweeps.sweep(body.texts('commitmentTxids'));
  if (txid === undefined) throw new OperatorError(13, 'no funds to sweep');
  return { txid };
}

function account(available: bigint): unknown {
  return { locked: bitcoins(0n), available: bitcoins(available) };
}

function bitcoins(sats: bigint): string {
  const digits = sats.toString().padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

function intentJson(intent: Intent): unknown {
  const receiver = (onchain: boolean) => (output: IntentOutput) => ({
    amount: String(output.amount),
    script: toHex(output.script),
    onchain,
  });
  return {
    id: intent.id,
    createdAt: String(intent.createdAt),
    receivers: [...intent.offchain.map(receiver(false)), ...intent.onchain.map(receiver(true))],
    inputs: intent.inputs.map((key) => ({ txid: key.split(':')[0], vout: Number(key.split(':')[1]) })),
    cosignersPublicKeys: intent.cosigners.map(toHex),
  };
}

function sweepJson(batch: BatchRecord): unknown {
  const output = {
    txid: batch.commitmentTxid,
    vout: 0,
    amount: bitcoins(BigInt(batch.totalOutputAmount)),
    scheduledAt: String(batch.expiresAt),
  };
  return { roundId: batch.roundId, outputs: [output], confirmed: true };
}

function convictionJson(conviction: Conviction): unknown {
  return {
    id: conviction.id,
    type: 'CONVICTION_TYPE_SCRIPT',
    createdAt: String(conviction.createdAt),
    expiresAt: String(conviction.expiresAt),
    pardoned: conviction.pardoned,
    script: conviction.script,
    crimeType:
      conviction.crime === 'nonce' ? 'CRIME_TYPE_MUSIG2_NONCE_SUBMISSION' : 'CRIME_TYPE_MUSIG2_SIGNATURE_SUBMISSION',
    roundId: conviction.roundId,
    reason: reasonOf(conviction),
  };
}
