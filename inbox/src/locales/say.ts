/** Sentences with something put into them: `{name}` takes a value, and a count chooses among the forms of a language. */

/** What PluralRules tells apart. English has two forms, Japanese one, Arabic all six. */
export type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

export function say(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** The form that fits the count, which it shows as people there write numbers. */
export function sayCount(
  locale: string,
  forms: Forms,
  count: number,
  values: Record<string, string> = {},
): string {
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other
  return say(form, { ...values, count: new Intl.NumberFormat(locale).format(count) })
}
