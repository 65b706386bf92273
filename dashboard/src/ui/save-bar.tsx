/** Below a long form: that something has changed, and what can be done with it. It stays in sight. */
import { Button } from './button.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { useSaveKey } from './use-save-key.ts'

interface SaveBarProps {
  name: string
  isChanged: boolean
  /** It belongs to a tab and is gone with it. */
  isInTab?: boolean
  isBusy: boolean
  problem: string | undefined
  onSave(): Promise<boolean>
  onDiscard(): void
}

export function SaveBar({
  name,
  isChanged,
  isInTab = false,
  isBusy,
  problem,
  onSave,
  onDiscard,
}: SaveBarProps) {
  const save = async () => {
    if (await onSave()) return true
    // After the errors are on the page.
    setTimeout(showFirstError)
    return false
  }
  useSaveKey(() => isChanged && !isBusy && void save())
  return (
    <>
      <LeaveGuard name={name} isChanged={isChanged} isInTab={isInTab} onSave={save} />
      {isChanged && (
        <div className="sticky bottom-4 z-20 mx-auto flex w-fit max-w-full flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-border bg-raised py-2 pr-2 pl-4 shadow-popover">
          <span role="status" className={problem ? 'max-w-md break-words text-bad' : 'text-muted'}>
            {problem ?? 'Unsaved changes'}
          </span>
          <span className="ml-auto flex gap-2">
            <Button kind="quiet" onClick={onDiscard}>
              Discard
            </Button>
            <Button kind="primary" isBusy={isBusy} onClick={() => void save()}>
              Save
            </Button>
          </span>
        </div>
      )}
    </>
  )
}

function showFirstError(): void {
  const field = document.querySelector<HTMLElement>('main [aria-invalid=true]')
  field?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
