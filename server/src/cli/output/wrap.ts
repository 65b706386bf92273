/** Breaks text at spaces; a terminal too narrow for a sensible column gets one long line. */
export function wrap(text: string, width: number): string[] {
  if (width < 20) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
