import { onDemand } from '../../parts/on-demand.tsx';

/** Comes after the page that shows the swap: nothing waits for it. */
export const SwapLabelSection = onDemand(async () => (await import('./label-panel.tsx')).LabelPanel);
