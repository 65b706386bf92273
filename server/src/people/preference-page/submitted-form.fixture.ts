/** Forms as browsers submit them. */

/** The fields that a browser would submit unchanged. */
export function fieldsOf(html: string): URLSearchParams {
  const form = new URLSearchParams()
  for (const [tag] of html.matchAll(/<input [^>]+>/g)) {
    // A browser leaves out what is locked.
    if (tag.includes(' disabled')) continue
    const name = unescaped(/name="([^"]*)"/.exec(tag)![1]!)
    if (tag.includes('type="checkbox"')) {
      if (tag.includes(' checked')) form.set(name, 'on')
    } else form.set(name, unescaped(/value="([^"]*)"/.exec(tag)![1]!))
  }
  for (const [, name, options] of html.matchAll(/<select name="([^"]*)">(.*?)<\/select>/g))
    form.set(unescaped(name!), unescaped(/value="([^"]*)" selected/.exec(options!)![1]!))
  return form
}
const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
