/** The "Quiet hours" part of the form: a few windows of the week for all channels that interrupt people. */
import { type QuietWindow, WEEKDAYS, type Weekday } from '@carillon/contract'
import { quietHours } from '../preferences/choices.ts'
import { InvalidForm } from './invalid-form.ts'
import { choicesOf, interrupts, type PreferenceState } from './preference-state.ts'

export interface QuietField {
  isOn: boolean
  start: string
  end: string
  days: readonly Weekday[]
  /** The names of its form fields. */
  names: QuietNames
}

interface QuietNames {
  isOn: string
  start: string
  end: string
  day: (day: Weekday) => string
}

/** How many windows the page offers; more are shown if there are more. */
const ROWS = 3
const MAX_ROWS = 20
const MIDNIGHT = '00:00'
const USUAL = { start: '22:00', end: '08:00' }

/** Those of the first channel that has any: the form has them for all. */
export function quietFields(state: PreferenceState, channels: PreferenceState['channels']): QuietField[] {
  const chosen = channels.filter(interrupts).map(channel => quietHours(choicesOf(state, channel))?.value)
  const windows = chosen.find(each => each !== undefined) ?? []
  return Array.from({ length: Math.max(ROWS, windows.length) }, (_, row) => {
    const { start, end, days = WEEKDAYS } = windows[row] ?? (USUAL as QuietWindow)
    // A clock on a page knows no 24:00.
    return {
      isOn: row < windows.length,
      start,
      end: end === '24:00' ? '00:00' : end,
      days,
      names: namesOf(row),
    }
  })
}

export function addQuietHours(form: URLSearchParams, fields: QuietField[]): void {
  form.set('quiet_rows', String(fields.length))
  for (const { isOn, start, end, days, names } of fields) {
    if (!isOn) continue
    form.set(names.isOn, 'on')
    form.set(names.start, start)
    form.set(names.end, end)
    for (const day of days) form.set(names.day(day), 'on')
  }
}

/** What was submitted, if it differs from what the page showed. */
export function changedQuietHours(shown: URLSearchParams, form: URLSearchParams): QuietWindow[] | undefined {
  for (const names of submittedRows(form)) refuseIncomplete(shown, form, names)
  const windows = submittedWindows(form)
  return JSON.stringify(windows) === JSON.stringify(submittedWindows(shown)) ? undefined : windows
}

/** Whether this row of the page was touched. */
export function isChanged(shown: URLSearchParams, form: URLSearchParams, { names }: QuietField): boolean {
  const entriesOf = (each: URLSearchParams) =>
    each.has(names.isOn) && [...timesOf(each, names), ...WEEKDAYS.filter(day => each.has(names.day(day)))]
  return JSON.stringify(entriesOf(shown)) !== JSON.stringify(entriesOf(form))
}

/** The row as it was submitted, be it valid or not. */
export function submittedField(form: URLSearchParams, { names, ...stored }: QuietField): QuietField {
  return {
    isOn: form.has(names.isOn),
    start: form.get(names.start) ?? stored.start,
    end: form.get(names.end) ?? stored.end,
    days: WEEKDAYS.filter(day => form.has(names.day(day))),
    names,
  }
}

/** Hours that were switched on but are none: saved in silence, they would not be held to. */
function refuseIncomplete(shown: URLSearchParams, form: URLSearchParams, names: QuietNames): void {
  if (!form.has(names.isOn)) return
  const isSame = [names.isOn, names.start, names.end].every(name => form.get(name) === shown.get(name))
  const [start, end] = timesOf(form, names)
  if (!isSame && (start === '' || end === '' || (start === end && start !== MIDNIGHT)))
    throw new InvalidForm('quiet_hours')
}

function submittedWindows(form: URLSearchParams): QuietWindow[] {
  return submittedRows(form).flatMap(names => submittedWindow(form, names))
}

function submittedRows(form: URLSearchParams): QuietNames[] {
  const rows = Math.min(MAX_ROWS, Number(form.get('quiet_rows')) || 0)
  return Array.from({ length: rows }, (_, row) => namesOf(row))
}

function timesOf(form: URLSearchParams, names: QuietNames): [string, string] {
  return [names.start, names.end].map(name => (form.get(name) ?? '').slice(0, 5)) as [string, string]
}

function submittedWindow(form: URLSearchParams, names: QuietNames): QuietWindow[] {
  const [start, end] = timesOf(form, names)
  if (!form.has(names.isOn) || start === '' || end === '') return []
  const days = WEEKDAYS.filter(day => form.has(names.day(day)))
  // From midnight to midnight is the whole day; other equal times are no hours at all.
  const isWholeDay = start === MIDNIGHT && end === MIDNIGHT
  if (days.length === 0 || (start === end && !isWholeDay)) return []
  const hours = { start, end: isWholeDay ? '24:00' : end }
  return [days.length === WEEKDAYS.length ? hours : { ...hours, days: [...days] }]
}

function namesOf(row: number): QuietNames {
  const suffix = row === 0 ? '' : `_${row + 1}`
  return {
    isOn: `quiet${suffix}`,
    start: `quiet_start${suffix}`,
    end: `quiet_end${suffix}`,
    day: day => `quiet_${day}${suffix}`,
  }
}
