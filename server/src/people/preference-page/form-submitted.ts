/** The form after a mistake: what the person had changed is still there, on top of what is stored now. Pure. */
import { TIME_ZONES, WEEKDAYS } from '@carillon/contract'
import { type Checkbox, type FormView, shownBy } from './form.ts'
import { PAUSES } from './form-pause.ts'
import { isChanged, submittedField } from './form-quiet.ts'

const FREQUENCIES = ['message', 'hour', 'day', 'week'] as const

/** What was not touched shows the stored value, so that saving again does not undo what changed elsewhere meanwhile. */
export function asSubmitted(view: FormView, form: URLSearchParams): FormView {
  const shown = shownBy(form)
  if (shown === undefined) return view
  const isOn = (name: string, stored: boolean) =>
    form.has(name) === shown.has(name) ? stored : form.has(name)
  const textOf = (name: string, stored: string) => {
    const given = form.get(name) ?? stored
    return given === shown.get(name) ? stored : given
  }
  const oneOf = <T extends string>(name: string, stored: T, known: readonly T[]): T =>
    known.find(each => each === textOf(name, stored)) ?? stored
  const checked = (box: Checkbox) => ({ ...box, isWanted: isOn(box.name, box.isWanted) })
  return {
    channels: view.channels.map(checked),
    categories: view.categories.map(category => ({
      ...category,
      checkboxes: category.required ? category.checkboxes : category.checkboxes.map(checked),
    })),
    frequencies: view.frequencies.map(field => ({
      ...field,
      every: oneOf(field.name, field.every, FREQUENCIES),
    })),
    digestTime: {
      at: textOf('digest_at', view.digestTime.at),
      on: oneOf('digest_on', view.digestTime.on, WEEKDAYS),
    },
    quiet: view.quiet.map(field => (isChanged(shown, form, field) ? submittedField(form, field) : field)),
    timezone: oneOf('timezone', view.timezone, [view.timezone, ...TIME_ZONES]),
    pause: {
      ...view.pause,
      chosen: oneOf('pause', view.pause.chosen, PAUSES),
      until: textOf('pause_until', view.pause.until),
    },
  }
}
