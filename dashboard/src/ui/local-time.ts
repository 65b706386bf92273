/** Times as the browser's own field has them: of the viewer's zone, without saying so. */

const two = (value: number) => String(value).padStart(2, '0')

export const localTime = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`

/** What is no time goes to the API as it is, which says so at the field. */
export function timeOf(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}
