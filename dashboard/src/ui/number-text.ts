/** Numbers as they are typed. */

/** Nothing typed is null; what is no number goes to the API as it is, which says at the field what it expected. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const number = Number(trimmed)
  return Number.isNaN(number) ? (trimmed as unknown as number) : number
}

export const numberText = (value: number | null | undefined): string => (value == null ? '' : String(value))
