/** Pictures of what can be done with rows. Their buttons say what they mean. */
import { type SVGTemplateResult, svg } from 'lit'
import type { TriageAction } from '../../client/state.ts'
import { BELL, bookmark, bookmarked, cross, icon, tick } from '../icons.ts'

export const ICONS: Record<TriageAction | 'more' | 'bell' | 'close' | 'select', SVGTemplateResult> = {
  done: tick(),
  undone: icon(svg`<path d="M2.5 6.5h7a4 4 0 0 1 0 8H8M5.5 3.5l-3 3 3 3"/>`),
  save: bookmark(),
  unsave: bookmarked(),
  snooze: icon(svg`<circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.25 1.75"/>`),
  mute: icon(svg`${BELL}<path d="m1.75 1.75 12.5 12.5"/>`),
  read: icon(svg`<path d="M1.75 6.25 8 1.75l6.25 4.5v7.5H1.75ZM2 6.5l6 4 6-4"/>`),
  unread: icon(svg`<path d="M1.75 3.75h12.5v8.5H1.75ZM2 4l6 5 6-5"/>`),
  more: icon(svg`<path d="M3 8h.01M8 8h.01M13 8h.01" stroke-width="2.5"/>`),
  bell: icon(BELL),
  select: icon(svg`<path d="M2.75 2.75h10.5v10.5H2.75ZM5.5 8l2 2 3-4"/>`),
  close: cross(),
}
