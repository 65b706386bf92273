/** Asks before changes that are not saved are lost: on the way to another page, and by the browser on closing. */
import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface LeaveGuardProps {
  /** What was changed, by name. */
  name: string
  isChanged: boolean
  /** It belongs to a tab and is gone with it. */
  isInTab?: boolean
  /** Whether it is saved now. */
  onSave(): Promise<boolean>
}

export function LeaveGuard({ name, isChanged, isInTab = false, onSave }: LeaveGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged &&
      (current.pathname !== next.pathname ||
        (isInTab && JSON.stringify(current.search) !== JSON.stringify(next.search))),
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const saveAndLeave = async () => {
    if (await onSave()) blocker.proceed()
    else blocker.reset()
  }
  return (
    <Dialog
      title={`Leave ${name} without saving?`}
      isOpen
      onClose={blocker.reset}
      footer={
        <>
          <Button onClick={blocker.reset}>Stay</Button>
          <Button kind="danger" onClick={blocker.proceed}>
            Discard changes
          </Button>
          <Button kind="primary" onClick={saveAndLeave}>
            Save and leave
          </Button>
        </>
      }
    >
      <p>What you changed since the last save would be lost.</p>
    </Dialog>
  )
}
