import { lazy, Suspense, type ComponentType } from 'react';

/** A part whose script comes when it is shown for the first time; one that does not come leaves a gap. */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Part = lazy(() =>
    load().then(
      (loaded): { default: ComponentType<Props> } => ({ default: loaded }),
      (): { default: ComponentType<Props> } => ({ default: Gap }),
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
