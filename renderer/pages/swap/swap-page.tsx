import { PageHead } from '../../parts/page-head.tsx';
import { words } from '../../words/words.ts';

export function SwapPage() {
  return <PageHead title={words.swap.title} lead={words.swap.lead} />;
}
