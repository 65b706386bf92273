/** Only what was changed since the form was opened: the rest may have been changed elsewhere, and saving must not undo that. */
export function changedValues<Values extends object>(opened: Values, now: Values): Partial<Values> {
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(opened[name as keyof Values]),
  )
  return Object.fromEntries(changed) as Partial<Values>
}
