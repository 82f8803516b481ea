import type { DirectionName } from '../domain/chain.ts';
import type { Records } from '../contract/records/swap.ts';
import type { Entry } from '../runtime/working-set.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from '../swap/arkade-lightning/terms.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from '../swap/lightning-arkade/terms.ts';
import { viewArkadeLightning, viewLightningArkade, type ViewFacts } from '../swap/view.ts';
import type { ServiceContext } from './context.ts';
import type { Offered } from './limits.ts';

/** The wire record of a swap as it stands; null for a swap that its client was never told of. */
export function viewOf(context: ServiceContext, { row, machine }: Entry): { record: Records[Offered]; direction: Offered } | null {
  const facts: ViewFacts = { id: row.id, createdAt: row.createdAt, status: row.status, network: context.config.network };
  switch (machine.name as DirectionName) {
    case 'lightning-arkade': {
      const progress = row.progress as LightningArkadeProgress;
      if (progress.at === 'opening' || progress.at === 'abandoning' || progress.at === 'unopened') return null;
      return { record: viewLightningArkade(facts, row.terms as LightningArkadeTerms, progress), direction: 'lightning-arkade' };
    }
    case 'arkade-lightning':
      return { record: viewArkadeLightning(facts, row.terms as ArkadeLightningTerms, row.progress as ArkadeLightningProgress), direction: 'arkade-lightning' };
    default:
      return null;
  }
}

/** The record that a create answers with. */
export function recordOf<D extends Offered>(context: ServiceContext, id: string, direction: D): Records[D] {
  const entry = context.runtime.workingSet.find(id);
  const view = entry === null ? null : viewOf(context, entry);
  if (view === null || view.direction !== direction) throw new Error(`swap ${id} was opened but has no record`);
  return view.record as Records[D];
}
