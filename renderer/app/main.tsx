import { language } from '../words/language.ts';
import { chooseTranslation } from '../words/translation.ts';
import '../styles/index.css';

// Every sentence is read once, as its script begins: the translation has to be there before them.
document.documentElement.lang = language;
void chooseTranslation(language)
  .then(() => import('./draw.tsx'))
  .then(({ draw }) => draw());
