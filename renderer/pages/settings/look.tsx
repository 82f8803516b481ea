import { themes, usePreferences } from '../../stores/preferences.ts';
import { words } from '../../words/words.ts';

/** How the window looks. */
export function Look() {
  const { theme, setTheme } = usePreferences();
  return (
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
  );
}
