/** What can be done about a notification: stop it, try it again, or send another like it. */
import type { RecordDetail } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { draftOf, keepDraft } from '../send/draft.ts'
import { ReplayDialog } from './replay-dialog.tsx'

const count = (value: number, noun: string) =>
  `${value.toLocaleString('en')} ${noun}${value === 1 ? '' : 's'}`

export function RecordActions({ record }: { record: RecordDetail }) {
  const { notification_id: id, notification_type, routes } = record
  const [open, setOpen] = useState<'cancel' | 'replay'>()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const mayCancel = useMay('records:write')
  const mayReplay = useMay('dead_letters:write')
  const waiting = (routes.pending ?? 0) + (routes.retrying ?? 0)
  const dead = routes.dead ?? 0
  const close = () => setOpen(undefined)
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['records'] })

  const cancel = async () => {
    const { cancelled, in_flight, finished } = await api.records.cancel(id)
    await refresh()
    const rest = [
      in_flight > 0 && `${in_flight} being sent right now`,
      finished > 0 && `${finished} were finished already`,
    ].filter(Boolean)
    toast([`${count(cancelled, 'message')} cancelled`, ...rest].join('; '))
  }
  const sendAgain = () => {
    keepDraft(draftOf(record))
    void navigate({ to: '/send', search: { type: notification_type } })
  }
  return (
    <>
      {(waiting > 0 || record.expanded_at === null) && (
        <Button
          refusal={!mayCancel && 'You need records:write: ask an owner'}
          onClick={() => setOpen('cancel')}
        >
          Cancel what waits
        </Button>
      )}
      {dead > 0 && (
        <Button
          refusal={!mayReplay && 'You need dead_letters:write: ask an owner'}
          onClick={() => setOpen('replay')}
        >
          Replay what is dead
        </Button>
      )}
      <Button onClick={sendAgain}>Send again like this</Button>
      <Confirm
        title={`Cancel what waits of ${notification_type}?`}
        action="Cancel messages"
        dismiss="Keep them"
        isOpen={open === 'cancel'}
        onClose={close}
        onConfirm={cancel}
      >
        {count(waiting, 'message')} of this notification {waiting === 1 ? 'waits' : 'wait'} and will not be
        sent. What was sent stays sent, and this cannot be undone.
      </Confirm>
      {open === 'replay' && <ReplayDialog notificationId={id} onClose={close} onDone={refresh} />}
    </>
  )
}
