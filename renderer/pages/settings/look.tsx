import { themes, usePreferences } from '../../stores/preferences.ts';
import { language, languages, speak, type Language } from '../../words/language.ts';
import { Explorers, FiatSource } from './display.tsx';
import type { SettingsInForce } from './use-settings.ts';
import { words } from '../../words/words.ts';

/** How the window looks, which language it speaks, and what stands beside amounts and transactions. */
export function Look(inForce: SettingsInForce) {
  return (
    <div className="gap">
      <Theme />
      <Spoken />
      <FiatSource {...inForce} />
      <Explorers {...inForce} />
    </div>
  );
}

function Spoken() {
  return (
    <fieldset>
      <legend>
        <h2>{words.settings.language}</h2>
      </legend>
      <p className="sub">{words.settings.languageMeans}</p>
      <div className="seg mt-2">
        {(Object.keys(languages) as Language[]).map((one) => (
          <label key={one} lang={one}>
            <input type="radio" name="language" value={one} checked={one === language} onChange={() => speak(one)} />
            {languages[one]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Theme() {
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
