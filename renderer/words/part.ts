/** Sentences of another language, key by key as the English ones; one that is missing is shown in English. */
export type Part<T> = T extends string
  ? string
  : T extends (...given: infer Given) => infer Text
    ? (...given: Given) => Text extends string ? string : Text
    : T extends readonly string[]
      ? readonly string[]
      : { readonly [Key in keyof T]?: Part<T[Key]> };
