/** Several words in one field, with commas between them. */

export const listOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,\n\t]/)
      .map(word => word.trim())
      .filter(Boolean),
  ),
]

export const listText = (words: readonly string[]): string => words.join(', ')
