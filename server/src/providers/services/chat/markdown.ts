/** Messages are plain text. Services that read Markdown would turn parts of it into formatting, links and headings. */
import { cut } from '../../../platform/text/cut.ts'

/** Links stay as they are: with escapes inside, they would lead elsewhere. */
const LINK = /(https?:\/\/[^\s<>]+)/
const MARKUP = /[\\*_~`|[\]()<>]/g
/** Headings, quotes and lists begin a line. */
const LINE_START = /^([ \t]*)([#+-]|\d+(?=\.))/gm

export function escapeMarkdown(text: string): string {
  return text
    .split(LINK)
    .map((part, at) => (at % 2 === 1 ? part : escapePart(part)))
    .join('')
}

/** The escaped text, with as much of the original as fits. */
export function markdownText(text: string, limit: number): string {
  let room = limit
  let escaped = escapeMarkdown(cut(text, room, 'utf16', '…'))
  while (escaped.length > limit && room > 0) {
    room -= Math.max(1, Math.floor((escaped.length - limit) / 2))
    escaped = escapeMarkdown(cut(text, room, 'utf16', '…'))
  }
  return escaped
}

function escapePart(part: string): string {
  return part
    .replace(MARKUP, '\\$&')
    .replace(LINE_START, (_all, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
    )
}
