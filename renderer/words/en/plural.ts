const rules = new Intl.PluralRules('en');

/** The form of a word that a number takes. */
export function plural(count: number, forms: { readonly one: string; readonly other: string }): string {
  return rules.select(count) === 'one' ? forms.one : forms.other;
}
