import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

/** A question that comes before all else. Escape and the veil close it, and focus returns to where it was. */
export function Dialog({
  open,
  onClose,
  title,
  children,
  actions,
}: {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  actions: ReactNode;
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup className="dialog">
          <Base.Title>{title}</Base.Title>
          <div className="stack mt-3">{children}</div>
          <div className="row end">{actions}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
