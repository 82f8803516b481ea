import { Outcome } from '../../parts/outcome.tsx';
import { Toggle } from '../../parts/toggle.tsx';
import { useActing } from '../../stores/acting.ts';
import { themes, usePreferences } from '../../stores/preferences.ts';
import { client, useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';

/** How the window looks, and whether this node is a provider. */
export function Look() {
  const { theme, setTheme, providing, setProviding } = usePreferences();
  return (
    <div className="gap">
      <fieldset>
        <legend>
          <h2>{words.settings.theme}</h2>
        </legend>
        <div className="seg mt-2">
          {themes.map((one) => (
            <label key={one}>
              <input type="radio" name="theme" value={one} checked={one === theme} onChange={() => setTheme(one)} />
              {words.settings.themes[one]}
            </label>
          ))}
        </div>
      </fieldset>
      <section aria-labelledby="also">
        <h2 id="also">{words.settings.also}</h2>
        <div className="mt-2 max-w-lg">
          <Toggle
            label={words.settings.providing}
            means={words.settings.providingMeans}
            on={providing}
            onSwitch={setProviding}
          />
          <NewSwaps />
        </div>
      </section>
    </div>
  );
}

function NewSwaps() {
  const status = useRecords((state) => state.status);
  const { busy, outcome, run } = useActing();
  if (status === null) return null;
  const { paused } = status;
  const change = (on: boolean) =>
    run('pause', async () => {
      if (on) await client().call('ownerResume', { body: {} });
      else await client().call('ownerPause', { body: { reason: words.settings.pauseReason } });
      return words.settings.saved;
    });
  return (
    <>
      <Toggle
        label={words.settings.newSwaps}
        means={paused?.by === 'guard' ? words.settings.guardPaused(paused.reason) : words.settings.newSwapsMeans}
        on={paused === null}
        busy={busy !== null}
        onSwitch={(on) => void change(on)}
      />
      <Outcome outcome={outcome} />
    </>
  );
}
