import { networkName } from '../../format/networks.ts';
import { CopyButton } from '../../parts/address.tsx';
import { useDisplay } from '../../stores/display.ts';
import { displayWords } from '../../words/display-words.ts';

/** Where a transaction can be looked at, where the owner named an explorer of its network. */
export function ExplorerLink({ network, txid }: { network: string; txid: string }) {
  const template = useDisplay()?.explorers[network];
  if (template === undefined) return null;
  const name = network.startsWith('evm:') && !txid.startsWith('0x') ? `0x${txid}` : txid;
  const address = template.replaceAll('{txid}', encodeURIComponent(name));
  // The desktop's window leads nowhere outside: the address is for a browser.
  if (window.sluice !== undefined)
    return (
      <CopyButton text={address} thing={displayWords.theLink} kind="quiet" size="inline">
        {displayWords.open}
      </CopyButton>
    );
  return (
    <a
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      aria-label={displayWords.openThing(networkName(network))}
    >
      {displayWords.open}
    </a>
  );
}
