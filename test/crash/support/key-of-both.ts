import { sendBitcoin } from '../../stories/client/esplora.ts';
import { claimHtlc, claimTogether, type ToHtlc } from '../../stories/client/to-bitcoin.ts';
import { look, until, type Scenario, type Stage } from './scenario.ts';

/** A client of an HTLC whose key is the aggregate of both. */
export interface OfBoth<S extends ToHtlc = ToHtlc> {
  readonly scenario: Scenario;
  readonly swap: S;
}

/** By the script. */
export async function claimByScript({ node, endpoints }: Stage, swap: ToHtlc, fee?: bigint): Promise<string> {
  const { body } = await node.ask(`/swap/${swap.id}`);
  return claimHtlc(endpoints.bitcoin.esploraUrl, swap, body, fee);
}

/** By the key of both, not sent; whoever has the answer has the coin. */
async function claimOfBoth({ node, endpoints }: Stage, swap: ToHtlc): Promise<string> {
  const { body } = await node.ask(`/swap/${swap.id}`);
  return (await claimTogether(node.url, endpoints.bitcoin.esploraUrl, { swap, record: body })).raw;
}

/**
 * The service knows the secret before anybody has the claim, so that its status says nothing of that: the client sends
 * it until the service names it. From there on the service keeps it on the chain. `over`: no claim comes any more.
 */
export async function claimUntilNamed(
  stage: Stage,
  { scenario, swap }: OfBoth,
  over: ReadonlySet<string>,
): Promise<void> {
  let raw: string | null = null;
  await until(stage, 'the service to name its claim', scenario, async () => {
    const status = await look(stage, scenario);
    const { body } = await stage.node.ask(`/swap/${swap.id}`);
    const isTaken = status === 'clientredeemed' || status === 'serverredeemed';
    if (body['btc_claim_txid'] !== undefined || (over.has(status) && !isTaken)) return true;
    raw ??= await claimOfBoth(stage, swap).catch(() => null);
    if (raw !== null) await sendBitcoin(stage.endpoints.bitcoin.esploraUrl, raw);
    else if (isTaken) await claimByScript(stage, swap);
    return false;
  });
}
