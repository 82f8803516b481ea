import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';

/** A part whose script comes when it is shown for the first time; one that does not come leaves a gap, or says so. */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Otherwise: () => ReactNode = Gap,
): ComponentType<Props> {
  const Part = lazy(() =>
    load().then(
      (loaded): { default: ComponentType<Props> } => ({ default: loaded }),
      (): { default: ComponentType<Props> } => ({ default: Otherwise }),
    ),
  );
  return function OnDemand(props: Props) {
    return (
      <Suspense fallback={null}>
        <Part {...props} />
      </Suspense>
    );
  };
}

function Gap() {
  return null;
}
