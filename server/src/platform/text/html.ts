/** HTML from values: whatever is put into a template is escaped, unless it is HTML itself. */

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | Html[] | false

export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(toText)))
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** `false` leaves out what a condition does not want. */
function toText(value: Value): string {
  if (value === false) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(each => each.text).join('')
  return escapeHtml(String(value))
}
