/** What keys mean in the list. */

export type Command =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'extend-next'
  | 'extend-previous'
  | 'done'
  | 'read'
  | 'save'
  | 'mute'
  | 'snooze'
  | 'select'
  | 'select-all'
  | 'clear'
  | 'undo'
  | 'filter'
  | 'help'

export type Key = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

const PLAIN: Record<string, Command> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  Home: 'first',
  End: 'last',
  e: 'done',
  u: 'read',
  s: 'save',
  m: 'mute',
  h: 'snooze',
  x: 'select',
  z: 'undo',
  Escape: 'clear',
}
const WITH_SHIFT: Record<string, Command> = {
  j: 'extend-next',
  ArrowDown: 'extend-next',
  k: 'extend-previous',
  ArrowUp: 'extend-previous',
}
/** Keyboards differ in whether these need Shift. */
const SIGNS: Record<string, Command> = { '/': 'filter', '?': 'help' }

/** Undefined for what belongs to the browser, to the page or to what has the focus. */
export function commandOf(event: Key): Command | undefined {
  const { ctrlKey, metaKey, altKey, shiftKey } = event
  const key = latinKey(event)
  if (altKey) return undefined
  if (ctrlKey || metaKey) return key === 'a' && !shiftKey ? 'select-all' : undefined
  return SIGNS[key] ?? (shiftKey ? WITH_SHIFT : PLAIN)[key]
}

/** On keyboards without Latin letters, those that are in the same place. */
function latinKey({ key, code }: Key): string {
  if (key.length !== 1) return key
  return /[!-~]/.test(key) ? key.toLowerCase() : code.replace(/^Key/, '').toLowerCase()
}
